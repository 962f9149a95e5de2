//! `ape doctor`: looks at the installation, and says what is wrong and how to mend it.

use crate::machine::installation;
use crate::machine::threads::STACK;
use crate::status::{Failure, Status};
use smt::solve;
use smt::solve::cvc5::Cvc5;
use smt::z3_version::OLDEST;
use std::io::Write;
use std::process::Command;
use std::{env, fs, process, thread};

/// What a check found.
enum Finding {
    Good(String),
    /// Something optional is missing.
    Note(String),
    Bad {
        wrong: String,
        mend: String,
    },
}

type Check = fn() -> Finding;

/// Runs all checks; the status says whether this installation can be used.
pub(crate) fn doctor(out: &mut impl Write) -> Result<Status, Failure> {
    let checks: [(&str, Check); 7] = [
        ("Z3 library", library),
        ("Z3 answers", answers),
        ("Z3 memory limit", memory_limit),
        ("own process", own_process),
        ("stack and threads", threads),
        ("temporary files", temporary_files),
        ("cvc5", cvc5),
    ];
    let mut status = Status::Success;
    for (name, check) in checks {
        match check() {
            Finding::Good(found) => writeln!(out, "ok    {name}: {found}")?,
            Finding::Note(found) => writeln!(out, "note  {name}: {found}")?,
            Finding::Bad { wrong, mend } => {
                writeln!(out, "BAD   {name}: {wrong}\n      {mend}")?;
                status = Status::Failed;
            }
        }
    }
    Ok(status)
}

fn bad(wrong: impl Into<String>, mend: impl Into<String>) -> Finding {
    Finding::Bad { wrong: wrong.into(), mend: mend.into() }
}

fn library() -> Finding {
    let mend = "unset LD_LIBRARY_PATH and LD_PRELOAD if they name another Z3; else build or install `ape` again";
    let place = match installation::loaded_from() {
        Some(file) => format!("loaded from {}", file.display()),
        None => format!("at build time it was in {}", installation::BUILT_FROM),
    };
    match installation::loaded() {
        None => bad(format!("it does not tell a version; {place}"), mend),
        Some(version) if version < OLDEST => bad(format!("version {version} is older than {OLDEST}; {place}"), mend),
        Some(version) if version.to_string() != installation::BUILT_FOR => {
            bad(format!("version {version}, but this program was built for {}; {place}", installation::BUILT_FOR), mend)
        }
        Some(version) => Finding::Good(format!("version {version}, {place}")),
    }
}

fn answers() -> Finding {
    match solve::self_test() {
        Ok(()) => Finding::Good("a satisfiable and an unsatisfiable question were answered right".to_string()),
        Err(wrong) => bad(wrong, "do not trust this library: build again with APE_Z3_DIR set to that of another Z3"),
    }
}

fn memory_limit() -> Finding {
    if solve::has_memory_limit() {
        Finding::Good("can be set".to_string())
    } else {
        bad("this Z3 knows no memory_max_size", "build again with APE_Z3_DIR set to the directory of another Z3")
    }
}

fn own_process() -> Finding {
    let mend = "make the file of this program readable and executable for you, and call it by its path";
    let started = env::current_exe().and_then(|ape| Command::new(ape).arg("--version").output());
    match started {
        Ok(output) if output.status.success() => Finding::Good("can be started, and so can be stopped".to_string()),
        Ok(output) => bad(format!("starting it again ended with {}", output.status), mend),
        Err(error) => bad(format!("cannot start it again: {error}"), mend),
    }
}

fn threads() -> Finding {
    let started = thread::Builder::new().stack_size(STACK).spawn(|| ());
    match started.map(thread::JoinHandle::join) {
        Ok(Ok(())) => {
            let cores = thread::available_parallelism().map_or(1, usize::from);
            Finding::Good(format!("a stack of {} MiB, {cores} at once", STACK >> 20))
        }
        _ => bad(
            format!("no thread with a stack of {} MiB", STACK >> 20),
            "raise the memory limit: `ulimit -v unlimited`",
        ),
    }
}

fn temporary_files() -> Finding {
    let file = env::temp_dir().join(format!("ape-doctor-{}", process::id()));
    let written = fs::File::create_new(&file).and_then(|mut opened| opened.write_all(b"ape"));
    match written.and_then(|()| fs::remove_file(&file)) {
        Ok(()) => Finding::Good(format!("can be written in {}", env::temp_dir().display())),
        Err(error) => bad(format!("cannot write {}: {error}", file.display()), "set TMPDIR to a directory of yours"),
    }
}

fn cvc5() -> Finding {
    match Cvc5::find() {
        Some(cvc5) => Finding::Good(format!("{} ({})", cvc5.name(), cvc5.place())),
        None => Finding::Note(
            "not found; it is optional, a second solver to check Z3's answers with (`pip install cvc5`)".to_string(),
        ),
    }
}
