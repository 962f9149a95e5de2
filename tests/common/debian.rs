//! Programs of Debian that tests run beside ours.
//!
//! What is not there is installed, where this is the user who may. What cannot be had is `None`, and its tests are shown as ignored.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The first program of these names, where one is there.
pub(crate) fn program(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).chain(["/usr/sbin".into()]).collect();
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}

/// What is found, if need be once these packages are installed.
pub(crate) fn found_or_installed<T>(packages: &[&str], found: impl Fn() -> Option<T>) -> Option<T> {
    found().or_else(|| {
        install(packages)?;
        found()
    })
}

/// Installs packages. No service of the system is started.
fn install(packages: &[&str]) -> Option<()> {
    let is_root = Command::new("id").arg("-u").output().ok()?.stdout == b"0\n";
    let run = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let install = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    (is_root && (run(&install) || run(&["update"]) && run(&install))).then_some(())
}
