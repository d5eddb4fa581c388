//! The browser for tests of the report's page and the documentation site: Debian's Chromium.

use crate::step::{command, run};
use std::path::Path;
use std::process::Stdio;

const CHROMIUM: &str = "/usr/bin/chromium";

/// Whether a browser is available. It is installed if it is absent and may be installed.
pub(crate) fn is_there() -> bool {
    let path = Path::new(CHROMIUM);
    if !path.exists() && may_install() {
        // Without a network there is none, and a new machine has no list of packages yet.
        let _ = apt_get("the packages there are", &["update"]);
        let _ = apt_get("browser", &["install", "--yes", "--no-install-recommends", "chromium"]);
    }
    path.exists()
}

fn apt_get(heading: &str, arguments: &[&str]) -> Result<(), String> {
    let mut command = command("apt-get");
    command.arg("--quiet=2").args(arguments);
    run(heading, command.env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
}

/// Whether this is root on a system with apt-get.
fn may_install() -> bool {
    let id = command("id").arg("-u").output();
    Path::new("/usr/bin/apt-get").exists() && id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}
