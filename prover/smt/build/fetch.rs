//! The pinned Z3: a directory to keep it in comes in, the library of Python's `z3-solver` wheel comes out.
//!
//! What is fetched, its size and how far it has come is shown on the terminal, where there is one.
//!
//! Invariant: nothing is unpacked unless pip found its hash in `z3-wheel.txt`.
//! Invariant: the directory of the wheel appears in one step, so a build that was stopped leaves no half of it.
//! Invariant: of several builds at once one fetches, and the others wait for it: each holds a lock while it looks again.

use crate::library::{self, Library, output};
use crate::packaged;
use crate::z3_version::OLDEST;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::UNIX_EPOCH;
use std::{env, fs, io};

/// The version that `z3-wheel.txt` names.
const PINNED: &str = "5.4.0.0";

/// The pinned library, kept below `home`; from an earlier build if there was one.
pub(crate) fn pinned_wheel(home: &Path) -> Result<Library, String> {
    // A home directory may be shared by machines of several kinds.
    let machine = env::var("TARGET").expect("cargo sets it");
    let kept = home.join(format!("z3-{PINNED}-{machine}"));
    let lib = kept.join("lib");
    let there = || library::accept(Some(lib.clone()));
    if let Ok(library) = there() {
        return Ok(library);
    }
    let cannot_keep = |error: io::Error| format!("cannot keep Z3 in {}: {error}", home.display());
    fs::create_dir_all(home).map_err(cannot_keep)?;
    // Held until this returns, or its process ends.
    let lock = fs::File::create(home.join(".z3-lock")).map_err(cannot_keep)?;
    lock.lock().map_err(cannot_keep)?;
    if let Ok(library) = there() {
        return Ok(library);
    }
    let scratch = home.join(".z3-fetch");
    remove(&scratch)?;
    download(&scratch)?;
    make_old(&library::file_in(&scratch.join("lib"))).map_err(cannot_keep)?;
    remove(&kept)?;
    fs::rename(&scratch, &kept).map_err(cannot_keep)?;
    there()
}

fn download(scratch: &Path) -> Result<(), String> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--retries=1"]);
    pip.args(["--no-deps", "--only-binary=:all:", "--require-hashes"]);
    match terminal() {
        Some(mut terminal) => {
            let for_what = format!("z3-solver {PINNED}, as there is no Z3 of at least {OLDEST} on this machine");
            // Whether anybody reads it makes no difference to the build.
            let _ = writeln!(terminal, "\r\x1b[Kape-smt: pip fetches {for_what}");
            pip.arg("--progress-bar=on").stdout(terminal);
        }
        None => _ = pip.arg("--quiet"),
    }
    pip.arg("--requirement").arg(packaged("build/z3-wheel.txt")).arg("--dest").arg(scratch);
    output(&mut pip).map_err(|reason| format!("pip could not fetch z3-solver {PINNED}: {reason}"))?;
    let unpack = ["-c", UNPACK];
    output(Command::new("python3").args(unpack).arg(scratch))
        .map(drop)
        .map_err(|reason| format!("cannot unpack z3-solver {PINNED}: {reason}"))
}

/// The terminal of whoever waits for this build, if there is one. What a build script prints is kept back by cargo, so this is the
/// way to say what is fetched and how large it is, and to show how far it has come.
fn terminal() -> Option<fs::File> {
    fs::File::options().write(true).open("/dev/tty").ok()
}

/// Unpacks the library and the licence from the only wheel in a directory, then removes the wheel. A wheel holds no links,
/// so a library that has two names is in it twice.
const UNPACK: &str = "
import filecmp, pathlib, sys, zipfile
scratch = pathlib.Path(sys.argv[1])
[wheel] = scratch.glob('*.whl')
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        path = pathlib.PurePosixPath(name)
        if name.startswith('z3/lib/libz3.') or 'LICENSE' in path.name:
            file = scratch / 'lib' / path.name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(archive.read(name))
wheel.unlink()
names = sorted((scratch / 'lib').glob('libz3.*'), key=lambda file: len(file.name))
for name in names[:-1]:
    if filecmp.cmp(name, names[-1], shallow=False):
        name.unlink()
        name.symlink_to(names[-1].name)
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
