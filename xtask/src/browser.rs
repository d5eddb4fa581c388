//! The browser that the report's page is looked at with: Debian's Chromium.

use crate::step::{command, run};
use std::path::Path;
use std::process::Stdio;

const CHROMIUM: &str = "/usr/bin/chromium";

/// Whether there is one. It is installed if it is not there and may be.
pub(crate) fn is_there() -> bool {
    let path = Path::new(CHROMIUM);
    if !path.exists() && may_install() {
        let mut install = command("apt-get");
        install.args(["install", "--yes", "--quiet=2", "--no-install-recommends", "chromium"]);
        // Without a network there is none.
        let _ = run("browser", install.env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()));
    }
    path.exists()
}

/// Whether this is root on a system with apt-get.
fn may_install() -> bool {
    let id = command("id").arg("-u").output();
    Path::new("/usr/bin/apt-get").exists() && id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}
