//! The plugin for Neovim in a headless Neovim. Where there is none the test is shown as ignored.

mod common;

use common::debian::{found_or_installed, program};
use common::root;
use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    let there = found_or_installed(&["neovim"], || program(&["nvim"])).is_some_and(|neovim| {
        let version = Command::new(neovim).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    });
    let trial = Trial::test("neovim_works_with_it", works).with_ignored_flag(!there);
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}

/// It opens an example, sees a mistake come and go, finds a declaration and a counterpart, and gets the verdict.
fn works() -> Result<(), Failed> {
    let folder = std::env::temp_dir().join(format!("ape-nvim-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let file = folder.join("swap.l");
    fs::copy(root().join("examples/swap.l"), &file)?;
    let done = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n"])
        .arg("-S")
        .arg(root().join("tests/neovim.lua"))
        .arg(&file)
        .env("APE", env!("CARGO_BIN_EXE_ape"))
        .env("PLUGIN", root().join("prover/editors/nvim"))
        .env("HOME", &folder)
        .output()?;
    fs::remove_dir_all(&folder)?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
    if done.status.success() && said.contains("all is well") { Ok(()) } else { Err(said.into()) }
}
