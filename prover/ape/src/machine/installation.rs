//! What the Z3 library that was loaded tells about itself.

use smt::solve;
use smt::z3_version::Z3Version;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The version of Z3 this program was built for.
pub(crate) const BUILT_FOR: &str = env!("APE_Z3_VERSION");

/// Where the library was at build time; it may have been moved since.
pub(crate) const BUILT_FROM: &str = env!("APE_Z3_FROM");

/// What `ape --version` says after the name.
pub(crate) fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let z3 = loaded().map_or_else(solve::version, |version| version.to_string());
        format!("{} (Z3 {z3})", env!("CARGO_PKG_VERSION"))
    });
    &TEXT
}

/// The version of the library that was loaded, unless it calls itself something that is no version.
pub(crate) fn loaded() -> Option<Z3Version> {
    Z3Version::parse(&solve::version())
}

/// The file that the library was loaded from; `None` where the system does not tell.
pub(crate) fn loaded_from() -> Option<PathBuf> {
    // Linux lists there what is mapped into a process: an address, and other things, and then the path.
    let maps = fs::read("/proc/self/maps").ok()?;
    file_in(&String::from_utf8_lossy(&maps))
}

/// The first file in a list of mappings whose name is that of a Z3 library.
fn file_in(maps: &str) -> Option<PathBuf> {
    let paths = maps.lines().filter_map(|line| Some(PathBuf::from(&line[line.find('/')?..])));
    let is_z3 = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libz3."));
    paths.into_iter().find(is_z3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_found_among_what_is_mapped() {
        let maps = "7f00-7f01 r-xp 00000000 fe:00 1  /usr/bin/ape\n7f02-7f03 rw-p 00000000 00:00 0 \n\
                    7f04-7f05 r--p 00000000 fe:00 2  /a dir/libz3.so.5.4\n7f06-7f07 r-xp 00000000 fe:00 3  /lib/libc.so.6\n";
        assert_eq!(file_in(maps), Some(PathBuf::from("/a dir/libz3.so.5.4")));
        assert_eq!(file_in("7f00-7f01 r-xp 00000000 fe:00 1  /usr/libz3.d/ape\n"), None);
    }
}
