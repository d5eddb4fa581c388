//! Commands that are killed, interrupted or refused by the system leave no partial files, and report the reason.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const OLD: &str = "what was there before\n";
const KILLS: usize = 50;

impl Folder {
    /// A folder with `in.csv`, an incomplete table; `model`, fitted to its first rows; and `out.csv`, to be replaced.
    fn new(rows: usize) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut text = String::from("a,b,c,d\n");
        for i in 0..rows {
            let x: f64 = rng.random_range(-1.0..1.0);
            let cells = [x, x * x + 0.1 * rng.random::<f64>(), 3.0 - x, rng.random()];
            let show = |(j, cell): (usize, &f64)| if i % 5 == j { "NA".into() } else { format!("{cell:.4}") };
            text += &cells.iter().enumerate().map(show).collect::<Vec<_>>().join(",");
            text.push('\n');
        }
        let few: String = text.split_inclusive('\n').take(200).collect();
        std::fs::write(folder.path("few.csv"), few).unwrap();
        std::fs::write(folder.path("in.csv"), text).unwrap();
        std::fs::write(folder.path("out.csv"), OLD).unwrap();
        let output = folder.command("fit few.csv -o model --time-budget 0.001").output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        folder
    }

    /// Runs it and expects an exit code and some words; no partial output may be left.
    fn refused(&self, arguments: &str, code: i32, words: &[&str]) {
        self.check(&self.command(arguments).output().unwrap(), code, words);
    }

    fn check(&self, output: &Output, code: i32, words: &[&str]) {
        let said = said(output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        words.iter().for_each(|word| assert!(said.contains(word), "`{said}` does not say `{word}`"));
        assert_eq!(self.get("out.csv"), OLD);
        assert_eq!(temporary_files(self.0.path()), [] as [PathBuf; 0]);
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn temporary_files(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(".tmp")).collect()
}

/// Waits until something is in a temporary file.
fn await_writing(folder: &Path) {
    let start = Instant::now();
    let written = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() > 0);
    while !temporary_files(folder).iter().any(written) {
        assert!(start.elapsed() < Duration::from_secs(20), "nothing is written");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends the signal of Ctrl-C.
fn interrupt(child: &Child) {
    signal(child, "INT");
}

fn signal(child: &Child, name: &str) {
    assert!(
        Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status().unwrap().success()
    );
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_file_or_the_new_one() {
    let folder = Folder::new(20_000);
    let run = || folder.command("impute in.csv --model model -o out.csv --quiet");
    let start = Instant::now();
    assert!(run().status().unwrap().success());
    // Moments are spread over 1.5 times the duration of a whole run.
    let mut whole = start.elapsed();
    let new = folder.get("out.csv");
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let (mut finished, mut killed, mut while_writing) = (0, 0, 0);
    for _ in 0..KILLS {
        std::fs::write(folder.path("out.csv"), OLD).unwrap();
        let moment = whole.mul_f64(rng.random_range(0.0..1.5));
        let mut child = run().spawn().unwrap();
        std::thread::sleep(moment);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        let found = folder.get("out.csv");
        if status.success() {
            assert!(found == new, "a run that finished left something else");
            finished += 1;
        } else {
            assert_eq!(status.signal(), Some(9));
            assert!(found == OLD || found == new, "killed after {moment:?}: {} bytes", found.len());
            killed += 1;
            // Still running when it should have ended: the machine has become slower.
            whole = whole.max(moment);
        }
        for left in temporary_files(folder.0.path()) {
            while_writing += 1;
            std::fs::remove_file(left).unwrap();
        }
    }
    assert!(finished > 0 && killed > 0 && while_writing > 0, "{finished} {killed} {while_writing}");
}

#[test]
fn an_interruption_while_writing_leaves_no_temporary_file() {
    // Enough that the interruption, which takes a while to be sent, comes before the end.
    let folder = Folder::new(200_000);
    for arguments in ["-o out.csv", "-o new.csv --intervals out.csv"] {
        let child = folder.command(&format!("impute in.csv --model model {arguments}")).spawn().unwrap();
        await_writing(folder.0.path());
        interrupt(&child);
        folder.check(&child.wait_with_output().unwrap(), 130, &[]);
        assert!(!folder.path("new.csv").exists());
    }
}

#[test]
fn a_signal_that_ends_the_command_leaves_no_temporary_file() {
    let folder = Folder::new(200_000);
    for (name, code) in [("TERM", 143), ("HUP", 129), ("QUIT", 131), ("XCPU", 152)] {
        let child = folder.command("impute in.csv --model model -o out.csv").spawn().unwrap();
        await_writing(folder.0.path());
        signal(&child, name);
        folder.check(&child.wait_with_output().unwrap(), code, &[]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let folder = Folder::new(200_000);
    let program = env!("CARGO_BIN_EXE_psd-impute");
    let script = format!("trap '' HUP; exec '{program}' impute in.csv --model model -o new.csv");
    let mut command = Command::new("sh");
    let child =
        command.current_dir(folder.0.path()).args(["-c", &script]).stderr(Stdio::piped()).spawn().unwrap();
    await_writing(folder.0.path());
    signal(&child, "HUP");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(folder.path("new.csv").exists());
}

#[test]
fn a_file_keeps_its_mode_when_it_is_replaced() {
    let folder = Folder::new(200);
    let mode = |name: &str| folder.path(name).metadata().unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(folder.path("out.csv"), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(folder.command("impute in.csv --model model -o out.csv").status().unwrap().success());
    assert_eq!(mode("out.csv"), 0o600);
    assert_ne!(folder.get("out.csv"), OLD);
}

#[test]
fn a_name_that_says_no_format_is_refused_before_the_fit() {
    let folder = Folder::new(200);
    for name in ["new.xyz", "new", "new.parquet.gz"] {
        for arguments in [
            format!("impute in.csv -o {name}"),
            format!("sample model -n 5 -o {name}"),
            format!("ampute in.csv --rate 0.1 -o {name}"),
        ] {
            folder.refused(&arguments, 1, &[name, "says no format", "hint: end the name with one of .csv, "]);
        }
        for arguments in [
            format!("score in.csv --model model -o {name}"),
            format!("impute in.csv -o new.csv --intervals {name}"),
            format!("report in.csv --model model -o {name}"),
        ] {
            folder.refused(
                &arguments,
                1,
                &[name, "the ending of the name is for something else", "hint: give it a name such as new"],
            );
        }
        assert!(!folder.path(name).exists() && !folder.path("new.csv").exists());
    }
    folder.refused(
        "fit in.csv -o new.csv",
        1,
        &["a model would be written", "hint: give it a name such as new.psd"],
    );
}

#[test]
fn an_interruption_while_reading_leaves_no_copy_of_the_input() {
    let folder = Folder::new(200);
    let copies = tempfile::tempdir().unwrap();
    let mut command = folder.command("impute - --model model -o out.csv");
    let mut child = command.env("TMPDIR", copies.path()).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"a,b,c,d\n1,2,").unwrap();
    await_writing(copies.path());
    interrupt(&child);
    folder.check(&child.wait_with_output().unwrap(), 130, &[]);
    assert_eq!(std::fs::read_dir(copies.path()).unwrap().count(), 0);
    drop(input);
}

#[test]
fn a_folder_that_may_not_be_written_to_is_refused_before_the_fit() {
    let folder = Folder::new(200);
    let closed = folder.path("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Permissions do not bind root, but nobody can make files among the kernel's.
    let bound = std::fs::write(closed.join("probe"), "").is_err();
    let closed = if bound { closed } else { PathBuf::from("/sys/kernel") };
    if !closed.is_dir() {
        eprintln!("skipped: root may write to every folder of this system");
        return;
    }
    let at = |name: &str| closed.join(name).display().to_string();
    let (path, model) = (at("out.csv"), at("out.psd"));
    folder.refused(&format!("fit in.csv -o {model}"), 2, &[&model, "hint: ask for the right to it"]);
    for arguments in [
        format!("impute in.csv -o {path}"),
        format!("impute in.csv -o out.csv --intervals {path}"),
        format!("score in.csv --model model -o {path}"),
        format!("sample model -n 5 -o {path}"),
        format!("ampute in.csv --rate 0.1 -o {path}"),
    ] {
        folder.refused(&arguments, 2, &[&path, "hint: ask for the right to it"]);
    }
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = Folder::new(8_000);
    // A limit on the size of files simulates a full disk.
    for arguments in [
        "impute in.csv --model model -o out.csv",
        "impute in.csv --model model -o new.csv --intervals out.csv",
    ] {
        let program = env!("CARGO_BIN_EXE_psd-impute");
        // The signal that tells of it may be ignored or not.
        for trap in ["trap '' XFSZ; ", ""] {
            let script = format!("{trap}ulimit -f 64; exec '{program}' {arguments}");
            let mut command = Command::new("sh");
            let output = command.current_dir(folder.0.path()).args(["-c", &script]).output().unwrap();
            folder.check(&output, 2, &["out.csv: ", "hint: make room"]);
            assert!(!folder.path("new.csv").exists());
        }
    }
    if cfg!(target_os = "linux") {
        folder.refused("impute in.csv --model model -o /dev/full", 2, &["/dev/full: ", "hint: make room"]);
        // Messages that cannot be written do not cause a panic.
        for (arguments, code) in
            [("impute gone.csv -o new.csv", 2), ("impute in.csv --model model -o new.csv", 2)]
        {
            let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
            let status = folder.command(arguments).stderr(full).status().unwrap();
            assert_eq!(status.code(), Some(code), "{arguments}");
        }
    }
}

#[test]
fn an_input_that_vanishes_is_named() {
    let folder = Folder::new(20_000);
    let first = folder.path("new.1.csv");
    assert!(Command::new("mkfifo").arg(&first).status().unwrap().success());
    let child = folder.command("impute in.csv --model model -o new.csv -m 2 --one-fit").spawn().unwrap();
    // It opens when the first table is begun, which does not end before it is read.
    let mut pipe = std::fs::File::open(first).unwrap();
    std::fs::remove_file(folder.path("in.csv")).unwrap();
    std::io::copy(&mut pipe, &mut std::io::sink()).unwrap();
    folder.check(&child.wait_with_output().unwrap(), 2, &["in.csv: No such file", "hint: check the name"]);
    assert!(!folder.path("new.2.csv").exists());
}

#[test]
fn a_pipe_with_a_name_is_read_and_written() {
    let folder = Folder::new(200);
    let program = env!("CARGO_BIN_EXE_psd-impute");
    let script = format!(
        "mkfifo from to; cat in.csv >from & cat to >copy & '{program}' impute from --model model -o to; wait"
    );
    let output = Command::new("sh").current_dir(folder.0.path()).args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(folder.command("impute in.csv --model model -o new.csv").status().unwrap().success());
    assert_eq!(folder.get("copy"), folder.get("new.csv"));
}

#[test]
fn bad_places_are_refused() {
    let folder = Folder::new(200);
    std::os::unix::fs::symlink("in.csv", folder.path("link.csv")).unwrap();
    for output in ["in.csv", "./in.csv", "link.csv", "model"] {
        let arguments = format!("impute in.csv --model model -o {output}");
        folder.refused(&arguments, 1, &[output, "would be overwritten", "hint: write to another file"]);
    }
    let arguments = "impute in.csv --model model -o none/out.csv";
    folder.refused(arguments, 2, &["there is no folder none", "hint: make the folder first"]);
    folder.refused("impute gone.csv -o out.csv", 2, &["gone.csv: No such file", "hint: check the name"]);
}

#[test]
fn a_reader_that_goes_ends_the_command_quietly() {
    let folder = Folder::new(20_000);
    for (arguments, header) in [
        ("impute in.csv --model model -o -", "a,b,c,d\n"),
        ("score in.csv --model model -o -", "row,log_density,share,rank\n"),
        ("sample model -n 20000 -o -", "a,b,c,d\n"),
    ] {
        let mut child = folder.command(arguments).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, header);
        let output = child.wait_with_output().unwrap();
        folder.check(&output, 0, &[]);
        assert_eq!(said(&output), "", "{arguments}");
    }
}

/// If memory is limited, fewer threads are started, or the command reports how much it needs: it never aborts.
#[cfg(target_os = "linux")]
#[test]
fn little_memory_is_enough_or_told() {
    let folder = Folder::new(200);
    let program = env!("CARGO_BIN_EXE_psd-impute");
    let run = |kilobytes: u64, threads: u64| {
        let script = format!(
            "ulimit -v {kilobytes}; exec '{program}' impute few.csv --time-budget 0.001 --threads {threads} -o new.csv"
        );
        Command::new("sh").current_dir(folder.0.path()).args(["-c", &script]).output().unwrap()
    };
    let output = run(100_000, 1);
    folder.check(&output, 2, &["the system allows 97 MB of memory", "hint: raise the limit"]);
    for kilobytes in [2_000_000, 1_000_000, 500_000] {
        // As many as a large machine has.
        let output = run(kilobytes, 32);
        let refused = output.status.code() == Some(2) && said(&output).contains("the system allows");
        assert!(output.status.success() || refused, "{kilobytes}: {:?}: {}", output.status, said(&output));
    }
}
