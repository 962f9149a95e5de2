//! Build script: makes the command find the Z3 library that `ape-smt` was linked with.
//!
//! In: what the build script of `ape-smt` found. Out: rpaths for the linker, and for the code `APE_Z3_VERSION` and
//! `APE_Z3_FROM` (which library this build was made for).

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let found = |what: &str| env::var(format!("DEP_APE_Z3_{what}")).unwrap_or_default();
    println!("cargo:rustc-env=APE_Z3_VERSION={}", found("VERSION"));
    println!("cargo:rustc-env=APE_Z3_FROM={}", found("FROM"));
    // `$ORIGIN` serves a binary that was moved together with its libz3.
    let beside_binary = if cfg!(target_os = "macos") { "@loader_path" } else { "$ORIGIN" };
    for directory in [found("LINKED").as_str(), beside_binary].iter().filter(|directory| !directory.is_empty()) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
