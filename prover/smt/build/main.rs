//! Build script: decides which Z3 library the prover is linked with, and tells cargo where it is.
//!
//! In: `APE_Z3_DIR`, the machine, the network. Out: a search path for the linker, and for the build script of the command
//! line the library's version, where it came from and where it is linked. The first of these that works is taken:
//!
//! 1. the library in the directory `APE_Z3_DIR` names;
//! 2. a Z3 of at least [`OLDEST`] that the machine already has;
//! 3. the pinned Python wheel that an earlier build fetched into the target directory;
//! 4. the pinned Python wheel, fetched now with pip and checked against the hashes in `z3-wheel.txt`.
//!
//! Invariant: nothing is written outside cargo's target directory.
//! Invariant: a library is only accepted after a small program that was linked with it ran and told its version.

mod fetch;
mod library;
// Public in the library, which this script cannot link.
#[allow(unreachable_pub, dead_code)]
#[path = "../src/z3_version.rs"]
mod z3_version;

use library::Library;
use std::path::PathBuf;
use std::{env, fs, process};
use z3_version::OLDEST;

#[cfg(not(unix))]
compile_error!("ape builds on Linux and macOS; on Windows use the Linux subsystem");

fn main() {
    match find() {
        Ok(library) => announce(&library),
        Err(reason) => {
            eprintln!("no Z3 to link with: {reason}");
            eprintln!("either build again with a network and a python3 that has pip, and the build fetches Z3 itself;");
            eprintln!("or install Z3 {OLDEST} or newer, and build with APE_Z3_DIR=<the directory of its libz3>");
            process::exit(1);
        }
    }
}

/// The library to link with, or a one-line reason why there is none.
fn find() -> Result<Library, String> {
    if let Some(dir) = env::var_os("APE_Z3_DIR") {
        return library::from_user(&PathBuf::from(dir)).map_err(|reason| format!("APE_Z3_DIR: {reason}"));
    }
    if let Some(library) = library::installed() {
        return Ok(library);
    }
    // OUT_DIR is <target>/<profile>/build/<package>/out: the wheel is shared by all profiles.
    let target = out_dir().ancestors().nth(4).map_or_else(out_dir, PathBuf::from);
    fetch::pinned_wheel(&target)
}

/// Prints what cargo, the linker and the code have to know about the library.
fn announce(library: &Library) {
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src/z3_version.rs");
    println!("cargo:rerun-if-env-changed=APE_Z3_DIR");
    println!("cargo:version={}", library.version);
    let Some(dir) = &library.dir else {
        println!("cargo:from=the system");
        return;
    };
    // Cargo lets `cargo run`, tests and documentation tests find libraries below OUT_DIR; the command's own build script
    // makes a binary that is started directly find them too.
    let linked = out_dir().join("z3");
    if let Err(error) = library::link_into(dir, &linked) {
        eprintln!("cannot make links to Z3 in {}: {error}", linked.display());
        process::exit(1);
    }
    println!("cargo:rerun-if-changed={}", library::file_in(dir).display());
    println!("cargo:from={}", dir.display());
    println!("cargo:linked={}", linked.display());
    println!("cargo:rustc-link-search=native={}", linked.display());
}

fn out_dir() -> PathBuf {
    let dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::canonicalize(&dir).unwrap_or(dir)
}
