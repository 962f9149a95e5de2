//! Build script: makes the command find the Z3 library that `ape-smt` was linked with.
//!
//! In: what the build script of `ape-smt` found. Out: rpaths for the linker, and for the code `APE_Z3_VERSION` and
//! `APE_Z3_FROM` (which library this build was made for).
//!
//! Invariant: no rpath names a directory of the build, unless the library could be kept nowhere else.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let found = |what: &str| env::var(format!("DEP_APE_Z3_{what}")).unwrap_or_default();
    println!("cargo:rustc-env=APE_Z3_VERSION={}", found("VERSION"));
    println!("cargo:rustc-env=APE_Z3_FROM={}", found("FROM"));
    // A binary that was moved together with its libz3 finds it beside itself, or where installers put libraries.
    let origin = if cfg!(target_os = "macos") { "@loader_path" } else { "$ORIGIN" };
    let beside = [origin.to_string(), format!("{origin}/../lib")];
    for directory in beside.into_iter().chain([found("RPATH")]).filter(|directory| !directory.is_empty()) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
