//! `ape completions` and `ape man`: what shells and `man` are told of this command.
//!
//! In: the definition of the arguments. Out: a script for a shell; pages for `man`.

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::files::replace::create_or_replace;
use crate::status::{Failure, Status};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::fs;
use std::io::Write;

/// What the command is called.
const NAME: &str = "ape";

/// Prints the script for a shell.
pub(crate) fn completions(args: &CompletionsArgs, out: &mut impl Write) -> Result<Status, Failure> {
    // The generator takes no failure of a write, so it writes into memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), NAME, &mut script);
    out.write_all(&script)?;
    Ok(Status::Success)
}

/// Prints a page, or writes all of them into a folder.
pub(crate) fn man(args: &ManArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    let pages: Vec<&Command> = [&command].into_iter().chain(shown).collect();
    let page_name = |page: &Command| page.get_display_name().unwrap_or(NAME).to_string();
    if let Some(folder) = &args.dir {
        fs::create_dir_all(folder).map_err(|error| Failure::write(folder, error))?;
        for page in pages {
            let path = folder.join(format!("{}.1", page_name(page)));
            let text = rendered(page)?;
            create_or_replace(&path, &text).map_err(|error| Failure::write(&path, error))?;
        }
        return Ok(Status::Success);
    }
    let name = args.command.as_ref().map_or(NAME.to_string(), |name| format!("{NAME}-{name}"));
    match pages.into_iter().find(|page| page_name(page) == name) {
        Some(page) => out.write_all(rendered(page)?.as_bytes())?,
        None => return Err(Failure::Usage(format!("there is no page {name}; `{NAME} help` lists the commands"))),
    }
    Ok(Status::Success)
}

fn rendered(page: &Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    let source = format!("{NAME} {}", env!("CARGO_PKG_VERSION"));
    Man::new(page.clone()).source(source).manual("ape").render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
