//! What `cargo install` makes.
//!
//! Alone in its file: cargo puts another binary in the place of the one that tests run, which is put back.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The workspace's packages that tests optimise more than the others.
const OPTIMISED: [&str; 3] = ["lang-l", "ape-smt", "ape-kernel"];

/// The real thing, but for the optimiser, which would take most of the time. What the tests have built of other crates is used again.
#[test]
fn cargo_installs_a_binary_that_needs_nothing_of_its_build() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = scratch.join("cargo-install");
    let _ = fs::remove_dir_all(&root);
    let mut install = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Build scripts ask for some of what cargo tells a test: they would run anew, and again in the next build.
    let told = |name: &str| name == "OUT_DIR" || name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(told)) {
        install.env_remove(name);
    }
    install.args(["install", "--debug", "--offline", "--locked", "--no-track", "--path"]);
    install.arg(env!("CARGO_MANIFEST_DIR")).arg("--root").arg(&root);
    install.arg("--config=profile.dev.opt-level=0");
    install.args(OPTIMISED.map(|package| format!("--config=profile.dev.package.{package}.opt-level=0")));
    let (tested, kept) = (Path::new(env!("CARGO_BIN_EXE_ape")), scratch.join("tested-ape"));
    fs::copy(tested, &kept).expect("the binary of the tests can be copied");
    let installed = install.status().expect("cargo can be started").success();
    let _ = fs::remove_file(tested);
    fs::rename(&kept, tested).expect("the binary of the tests can be put back");
    assert!(installed);
    let mut doctor = Command::new(root.join("bin/ape"));
    for variable in ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "CLICOLOR_FORCE", "NO_COLOR"] {
        doctor.env_remove(variable);
    }
    let told = doctor.arg("doctor").output().expect("what is installed can be started");
    let text = String::from_utf8(told.stdout).expect("ape prints UTF-8");
    assert_eq!(told.status.code(), Some(0), "{text}");
    let library = text.lines().find(|line| line.starts_with("ok    Z3 library: ")).expect("a line on the library");
    // Where the system tells which one is loaded.
    let loaded = library.split_once("loaded from ").map(|(_, loaded)| Path::new(loaded));
    let target = scratch.parent().expect("the target directory");
    assert!(!loaded.is_some_and(|loaded| loaded.starts_with(target)), "{library}");
}
