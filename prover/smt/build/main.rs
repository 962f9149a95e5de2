//! Build script: decides which Z3 library programs are linked with, and tells cargo where it is.
//!
//! In: `APE_Z3_DIR`, the machine, the network. Out: a search path for the linker. Build scripts of packages that depend on
//! this one also get the library's version, where it came from, and the directory that an rpath should name. The first of
//! these that works is taken:
//!
//! 1. the library in the directory that `APE_Z3_DIR` names;
//! 2. a Z3 of at least [`OLDEST`] that the machine already has;
//! 3. the pinned Python wheel that an earlier build fetched;
//! 4. the pinned Python wheel, fetched now with pip and checked against the hashes in `z3-wheel.txt`.
//!
//! The wheel is kept in the user's data directory, because an installed program needs it when the build is gone. Where
//! nothing can be written there, it is kept in cargo's target directory, and a warning says so.
//!
//! Invariant: nothing is written outside cargo's target directory but the pinned library, which [`fetch`] keeps.
//! Invariant: a library is accepted only after a small program that was linked with it ran and told its version.

mod fetch;
mod library;
mod linking;
// Public in the library, which this script cannot link.
#[allow(unreachable_pub, dead_code)]
#[path = "../src/z3_version.rs"]
mod z3_version;

use library::Library;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs, process};
use z3_version::OLDEST;

#[cfg(not(unix))]
compile_error!("ape builds on Linux and macOS; on Windows use the Linux subsystem");

fn main() {
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src/z3_version.rs");
    for variable in ["APE_Z3_DIR", "XDG_DATA_HOME", "CXXSTDLIB", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    // There only the documentation is made, without a network; nothing is linked.
    if env::var_os("DOCS_RS").is_some() {
        return;
    }
    if let Err(reason) = find().and_then(|library| announce(&library)) {
        eprintln!("no Z3 to link with: {reason}");
        eprintln!("either build again with a network and a python3 that has pip, and the build fetches Z3 itself;");
        eprintln!("or install Z3 {OLDEST} or newer, and build with APE_Z3_DIR=<the directory of its libz3>");
        eprintln!("(the package of a Linux distribution is often older than that, and is then not used)");
        process::exit(1);
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
    // OUT_DIR is <target>/<profile>/build/<package>/out: what is kept there is shared by all profiles.
    let target = out_dir().ancestors().nth(4).map_or_else(out_dir, PathBuf::from);
    let lasting = data_home().ok_or_else(|| "no home directory is known".to_string());
    let kept = lasting.and_then(|data| fetch::pinned_wheel(&data.join("ape")));
    kept.or_else(|reason| {
        let library = fetch::pinned_wheel(&target).map_err(|other| format!("{reason}; {other}"))?;
        println!("cargo:warning=Z3 is kept in {}, without which an installed `ape` does not start", target.display());
        println!("cargo:warning=It could not be kept in the data directory of this user: {reason}");
        Ok(library)
    })
}

/// Where programs keep what they need to run, as the XDG base directories have it.
fn data_home() -> Option<PathBuf> {
    let named = |variable| env::var_os(variable).map(PathBuf::from).filter(|dir| dir.is_absolute());
    named("XDG_DATA_HOME").or_else(|| Some(named("HOME")?.join(".local/share")))
}

/// Prints what cargo, the linker and the code have to know about the library.
fn announce(library: &Library) -> Result<(), String> {
    let links = out_dir().join("z3");
    linking::prepare(library.dir.as_deref(), &links)?;
    println!("cargo:rustc-link-search=native={}", links.display());
    println!("cargo:version={}", library.version);
    match &library.dir {
        None => println!("cargo:from=the system"),
        Some(dir) => {
            println!("cargo:rerun-if-changed={}", library::file_in(dir).display());
            println!("cargo:from={}", dir.display());
            println!("cargo:rpath={}", dir.display());
        }
    }
    Ok(())
}

/// The file of this package, which cargo may have unpacked anywhere.
fn packaged(file: &str) -> PathBuf {
    Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join(file)
}

fn rustc() -> OsString {
    env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"))
}

fn out_dir() -> PathBuf {
    let dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::canonicalize(&dir).unwrap_or(dir)
}
