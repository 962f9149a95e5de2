//! The command `ape`.
mod cli;

fn main() {
    cli::main();
}
