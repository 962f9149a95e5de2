//! What makes `-lz3` mean the library that was chosen: its directory comes in, a directory for the linker comes out.
//!
//! The `z3-sys` crate passes `-lz3` and `-lstdc++` to the linker, and where pkg-config knows a Z3 also `-L` with its
//! directory. That Z3 may be an old one. So the linker is given a directory below OUT_DIR, which cargo puts before all that
//! are not below its own target directory. A package cannot set the environment of another's build script, so this has
//! to work without `.cargo/config.toml` too.
//!
//! Invariant: nothing is put into the directory that the linker would find without it.

use crate::{library, out_dir, rustc};
use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

/// Fills `links`, which cargo also lets `cargo run` and tests look for libraries in.
pub(crate) fn prepare(library: Option<&Path>, links: &Path) -> Result<(), String> {
    let fill = || -> io::Result<()> {
        if links.exists() {
            fs::remove_dir_all(links)?;
        }
        fs::create_dir_all(links)?;
        library.map_or(Ok(()), |dir| library::link_into(dir, links))?;
        if wants_cxx() && !links_cxx() {
            fs::write(links.join("libstdc++.a"), EMPTY_ARCHIVE)?;
        }
        Ok(())
    };
    fill().map_err(|error| format!("cannot fill {}: {error}", links.display()))
}

/// What the linker takes for `-lstdc++` where g++ and its development files are missing: libz3 brings its own C++ library,
/// so no symbol is ever looked for in it.
const EMPTY_ARCHIVE: &str = "!<arch>\n";

/// Whether `z3-sys` asks for this C++ library, as its build script decides it.
fn wants_cxx() -> bool {
    let elsewhere = ["apple", "freebsd", "openbsd", "android"];
    let target = env::var("TARGET").expect("cargo sets it");
    env::var_os("CXXSTDLIB").is_none() && !elsewhere.iter().any(|system| target.contains(system))
}

/// Whether a program that asks for the C++ library links.
fn links_cxx() -> bool {
    let source = out_dir().join("nothing.rs");
    let mut compile = Command::new(rustc());
    compile.args(["--edition=2024", "--crate-type=bin", "-lstdc++", "-o"]).arg(out_dir().join("nothing")).arg(&source);
    library::with_linker(&mut compile);
    fs::write(&source, "fn main() {}").is_ok() && library::output(&mut compile).is_ok()
}
