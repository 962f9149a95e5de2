//! The command `ape`: arguments come in, text and an exit status go out; all it does is in [`cli`].

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
