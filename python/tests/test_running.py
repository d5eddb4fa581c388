"""Long work: Ctrl-C, other threads, other processes, memory."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import gaps
from psd_impute import PSDImputer


def run(program: str) -> str:
    """The output of a program in a separate interpreter."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(os.name == "nt", reason="sends a Unix signal")
@pytest.mark.parametrize("work", ["imputer.fit(table)", "slow.transform(table)", "slow.conditional(table)"])
def test_ctrl_c_is_heard_within_a_second(work):
    program = f"""
        import os, signal, threading, time
        import numpy as np
        from psd_impute import PSDImputer
        rng = np.random.default_rng(0)
        table = rng.normal(size=(300_000, 12)).cumsum(axis=1) ** 3
        table[rng.random(table.shape) < 0.3] = np.nan
        imputer, slow = PSDImputer(random_state=0), PSDImputer(random_state=0).fit(table[:60])
        sent = []
        def interrupt():
            time.sleep(0.5)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            {work}
        except KeyboardInterrupt:
            print(time.perf_counter() - sent[0])
    """
    assert float(run(program)) < 1.0


def test_two_threads_fit_at_once(matrix):
    seeds = [1, 2]
    alone = [PSDImputer(random_state=seed).fit_transform(matrix) for seed in seeds]
    found = [None, None]

    def work(k: int) -> None:
        found[k] = PSDImputer(random_state=seeds[k]).fit_transform(matrix)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(np.array_equal(a, b) for a, b in zip(alone, found))


def test_the_interpreter_is_free_meanwhile():
    rng = np.random.default_rng(0)
    table = gaps(rng.normal(size=(1500, 6)).cumsum(axis=1))
    longest, last, ended = 0.0, time.perf_counter(), threading.Event()

    def tick() -> None:
        nonlocal longest, last
        while not ended.wait(0.005):
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.perf_counter()
    PSDImputer(random_state=0).fit(table)
    seconds = time.perf_counter() - start
    ended.set()
    ticker.join()
    assert longest < seconds / 4, f"nothing else ran for {longest:.2f} of {seconds:.2f} s"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_works_too(matrix):
    expected = PSDImputer(random_state=0).fit_transform(matrix)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        done = pool.apply_async(PSDImputer(random_state=0).fit_transform, (matrix,)).get(timeout=120)
    assert np.array_equal(done, expected)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read from /proc, which is not there")
def test_a_million_rows_release_their_memory():
    """The allocator returns freed memory late, so one reading is not enough: the minimum over ten more passes is used.

    The peak is the interpreter's own; that of getrusage starts from the peak of the parent process.
    """
    program = """
        import numpy as np
        from psd_impute import PSDImputer
        def memory(what):
            with open("/proc/self/status") as file:
                return next(int(line.split()[1]) for line in file if line.startswith(what)) / 2**10
        def passed():
            assert np.isfinite(imputer.transform(table)).all()
            return memory("VmRSS")
        rng = np.random.default_rng(0)
        table = rng.normal(size=(1_000_000, 3)).cumsum(axis=1)
        table[::50, 1] = np.nan
        imputer = PSDImputer(random_state=0).fit(table[:500])
        before = memory("VmRSS")
        first, then = (min(passed() for _ in range(10)) for _ in range(2))
        print(table.nbytes / 2**20, then - first, memory("VmHWM") - before)
    """
    size, kept, most = map(float, run(program).split())
    assert kept < 3 * size, f"{kept:.0f} MiB kept by ten passes over {size:.0f} MiB"
    assert most < 16 * size, f"{most:.0f} MiB taken at most by a pass over {size:.0f} MiB"


def test_nothing_is_imported_before_it_is_used():
    seconds = float(run("import time; start = time.perf_counter(); import psd_impute; print(time.perf_counter() - start)"))
    loaded = run("import sys, psd_impute; print([name for name in ('sklearn', 'pandas', 'scipy', 'numpy') if name in sys.modules])")
    assert loaded.strip() == "[]" and seconds < 0.3
