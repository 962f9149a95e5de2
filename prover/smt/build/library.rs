//! Z3 libraries on this machine: directories come in, a library known to link, load and be new enough comes out.

use crate::z3_version::{OLDEST, Z3Version};
use crate::{out_dir, packaged, rustc};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// A Z3 library that a program was linked with and that told its version.
pub(crate) struct Library {
    /// Where it is; `None` when the linker and the loader find it without help.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) version: Z3Version,
}

/// The library in the directory the user names, which may also be the directory above it.
pub(crate) fn from_user(dir: &Path) -> Result<Library, String> {
    if !dir.is_absolute() {
        return Err(format!(
            "{} has to be an absolute path: nobody tells this script where cargo was started",
            dir.display()
        ));
    }
    let candidates = [dir.to_path_buf(), dir.join("lib"), dir.join("bin")];
    let found = candidates.into_iter().find(|dir| file_in(dir).exists());
    accept(Some(found.ok_or_else(|| format!("{} holds no {LIBRARY_FILE}", dir.display()))?))
}

/// A library that is new enough and that the machine already has: where the linker looks by itself, beside the
/// `z3` command, or in Python's package.
pub(crate) fn installed() -> Option<Library> {
    let elsewhere = beside_command().into_iter().chain(python_package()).filter(|dir| file_in(dir).exists());
    [None].into_iter().chain(elsewhere.map(Some)).find_map(|dir| accept(dir).ok())
}

/// Links a probe with the library and runs it: the library is good if that tells a version that is new enough.
pub(crate) fn accept(dir: Option<PathBuf>) -> Result<Library, String> {
    let place = dir.as_ref().map_or_else(|| "the system".to_string(), |dir| dir.display().to_string());
    let version = probe(dir.as_deref()).map_err(|reason| format!("the Z3 in {place} does not work: {reason}"))?;
    if version < OLDEST {
        return Err(format!("the Z3 in {place} is {version}, but {OLDEST} or newer is needed"));
    }
    Ok(Library { dir, version })
}

/// Adds links to the files of the library in `dir`, under all the names a linker or loader may want.
pub(crate) fn link_into(dir: &Path, links: &Path) -> io::Result<()> {
    for entry in fs::read_dir(fs::canonicalize(dir)?)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("libz3.") {
            std::os::unix::fs::symlink(entry.path(), links.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// The file the linker wants for `-lz3`, if it is in `dir`.
pub(crate) fn file_in(dir: &Path) -> PathBuf {
    dir.join(LIBRARY_FILE)
}

/// Standard output of a command, or the last line of what it complained about.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot run {program}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_string());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let last = complaint.lines().rev().find(|line| !line.trim().is_empty());
    Err(last.map_or_else(|| format!("{program} failed with {}", output.status), |line| line.trim().to_string()))
}

/// Has the compiler use the linker that cargo would have it use.
pub(crate) fn with_linker(compile: &mut Command) {
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = OsString::from("-Clinker=");
        option.push(linker);
        compile.arg(option);
    }
}

const LIBRARY_FILE: &str = if cfg!(target_os = "macos") { "libz3.dylib" } else { "libz3.so" };

fn probe(dir: Option<&Path>) -> Result<Z3Version, String> {
    let binary = out_dir().join("probe");
    let mut compile = Command::new(rustc());
    compile.args(["--edition=2024", "--crate-name=probe", "--crate-type=bin", "-o"]).arg(&binary);
    compile.arg(packaged("build/probe.rs.txt"));
    with_linker(&mut compile);
    if let Some(dir) = dir {
        compile.arg("-L").arg(format!("native={}", dir.display()));
        compile.arg(format!("-Clink-arg=-Wl,-rpath,{}", dir.display()));
    }
    output(&mut compile).map_err(|_| "it does not link".to_string())?;
    let told = output(&mut Command::new(&binary))?;
    Z3Version::parse(&told).ok_or_else(|| format!("it calls itself {told:?}"))
}

/// Where an unpacked release or a package manager puts the library: around the `z3` command of the search path.
fn beside_command() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let command = env::split_paths(&path).map(|dir| dir.join("z3")).find(|file| file.is_file());
    let Some(bin) = command.and_then(|file| Some(fs::canonicalize(file).ok()?.parent()?.to_path_buf())) else {
        return Vec::new();
    };
    vec![bin.join("../lib"), bin]
}

/// Where `pip install z3-solver` put the library.
fn python_package() -> Option<PathBuf> {
    const SCRIPT: &str = "from importlib.util import find_spec; print(find_spec('z3').submodule_search_locations[0])";
    output(Command::new("python3").args(["-c", SCRIPT])).ok().map(|package| Path::new(&package).join("lib"))
}
