//! The command line.
mod z3_version;

pub(crate) fn main() {
    println!(
        "{}",
        z3_version::PINNED >= z3_version::OLDEST && z3_version::Z3Version::parse(z3::full_version()).is_some()
    );
}
