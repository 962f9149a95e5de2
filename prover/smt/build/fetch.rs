//! The pinned Z3: cargo's target directory comes in, the library of Python's `z3-solver` wheel comes out.
//!
//! Invariant: nothing is unpacked unless pip found its hash in `z3-wheel.txt`.
//! Invariant: the directory of the wheel appears in one step, so a build that was stopped leaves no half of it.

use crate::library::{self, Library, output};
use crate::out_dir;
use std::path::Path;
use std::process::Command;
use std::time::UNIX_EPOCH;
use std::{fs, io};

/// The version that `z3-wheel.txt` names.
const PINNED: &str = "5.4.0.0";

/// The pinned library, from `target` if it was fetched before.
pub(crate) fn pinned_wheel(target: &Path) -> Result<Library, String> {
    let home = target.join(format!("z3-{PINNED}"));
    let lib = home.join("z3/lib");
    if let Ok(library) = library::accept(Some(lib.clone())) {
        return Ok(library);
    }
    let scratch = out_dir().join("fetch");
    remove(&scratch)?;
    download(&scratch)?;
    make_old(&library::file_in(&scratch.join("z3/lib"))).map_err(|error| format!("cannot change a date: {error}"))?;
    remove(&home)?;
    fs::rename(&scratch, &home).map_err(|error| format!("cannot create {}: {error}", home.display()))?;
    library::accept(Some(lib))
}

fn download(scratch: &Path) -> Result<(), String> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--retries=1"]);
    pip.args(["--no-deps", "--only-binary=:all:", "--require-hashes"]);
    pip.arg("--requirement").arg(Path::new(&manifest).join("build/z3-wheel.txt")).arg("--dest").arg(scratch);
    output(&mut pip).map_err(|reason| format!("pip could not fetch z3-solver {PINNED}: {reason}"))?;
    let unpack = ["-c", UNPACK];
    output(Command::new("python3").args(unpack).arg(scratch))
        .map(drop)
        .map_err(|reason| format!("cannot unpack z3-solver {PINNED}: {reason}"))
}

/// Unpacks the library and the licence from the only wheel in a directory, then removes the wheel.
const UNPACK: &str = "
import pathlib, sys, zipfile
scratch = pathlib.Path(sys.argv[1])
[wheel] = scratch.glob('*.whl')
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if name.startswith('z3/lib/libz3.') or 'LICENSE' in name:
            archive.extract(name, scratch)
wheel.unlink()
";

/// Cargo runs a build script again when a file it named is newer than the script's last start, as a file just
/// fetched would be.
fn make_old(file: &Path) -> io::Result<()> {
    fs::File::options().append(true).open(file)?.set_modified(UNIX_EPOCH)
}

fn remove(dir: &Path) -> Result<(), String> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", dir.display()))
        }
        _ => Ok(()),
    }
}
