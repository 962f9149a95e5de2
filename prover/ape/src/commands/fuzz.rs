//! `ape fuzz`: pairs made up at random, runs against verdicts.
//!
//! In: a seed and a number of pairs. Out: each fault as a pair file, and tables of what was proved. With `--lies`: a seed and a
//! number of lies, and how they were received. With `--diff`: what `ape diff` and `ape client` say, held against runs. With
//! `--marks`: whether the statement that reports mark is the one that is wrong.

use crate::args::FuzzArgs;
use crate::files::load::load;
use crate::machine::threads::threads;
use crate::status::{Failure, Status};
use ape_fuzz::judge::differences::{DifferenceConfig, differences};
use ape_fuzz::judge::marks::marked;
use ape_fuzz::lies::subject::Subject;
use ape_fuzz::lies::{LieConfig, Tally, lie, lie_about};
use ape_fuzz::{Event, FuzzConfig, fuzz};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::fs;
use std::io::Write;

/// Fuzzes; a fault is a bug of ours, and the status says so.
pub(crate) fn fuzz_pairs(args: &FuzzArgs, out: &mut impl Write) -> Result<Status, Failure> {
    if let Some(lies) = args.lies {
        return tell_lies(args, lies, out);
    }
    if let Some(pairs) = args.diff {
        return compare(args, pairs, out);
    }
    if let Some(pairs) = args.marks {
        let tally = marked(args.seed, pairs);
        write!(out, "{tally}")?;
        return Ok(if tally.wrong.is_empty() { Status::Success } else { Status::Internal });
    }
    let mut config = FuzzConfig {
        seed: args.seed,
        first: args.first,
        pairs: args.pairs,
        only: args.only.clone(),
        ..FuzzConfig::default()
    };
    config.judge.unproved = args.unproved;
    config.judge.certificates = args.certificates;
    if args.far {
        config = config.far();
    }
    if args.print {
        for case in (args.first..args.first + args.pairs).filter_map(|number| config.case(number)) {
            if let Some(planted) = &case.planted {
                writeln!(out, "// store of {}: {}", planted.procedure, planted.store)?;
            }
            writeln!(out, "{}", case.text())?;
        }
        return Ok(Status::Success);
    }
    let mut told = Ok(());
    let threads = threads(args.jobs).map_err(Failure::Thread)?;
    let summary = fuzz(&config, &threads, &mut |event| {
        if told.is_ok() {
            told = tell(event, args, out);
        }
    });
    told?;
    write!(out, "{summary}")?;
    let below = if args.bars { summary.below_bars() } else { Vec::new() };
    for line in &below {
        writeln!(out, "below the bar: {line}")?;
    }
    Ok(if summary.faulty() || !below.is_empty() { Status::Internal } else { Status::Success })
}

/// Holds conditions and verdicts on clients against runs; that one is wrong is a bug of ours.
fn compare(args: &FuzzArgs, pairs: u64, out: &mut impl Write) -> Result<Status, Failure> {
    let config = DifferenceConfig::new(args.seed, args.first, pairs);
    let threads = threads(args.jobs).map_err(Failure::Thread)?;
    let tally = differences(&config, &threads);
    write!(out, "{tally}")?;
    Ok(if tally.wrong.is_empty() { Status::Success } else { Status::Internal })
}

/// Lies to the kernel; that one is believed is a bug of ours.
fn tell_lies(args: &FuzzArgs, lies: u64, out: &mut impl Write) -> Result<Status, Failure> {
    let config = LieConfig::new(args.seed, lies);
    if args.print {
        for subject in (0..lies).filter_map(|number| Subject::made(args.seed, number, &config.verify)) {
            writeln!(out, "// {}\n{}", subject.name, subject.text)?;
        }
        return Ok(Status::Success);
    }
    let threads = threads(args.jobs).map_err(Failure::Thread)?;
    let tally = if args.about.is_empty() {
        let mut told = Ok(());
        let tally = lie(&config, &threads, &mut |believed| {
            if told.is_ok() {
                told = writeln!(out, "{believed}");
            }
        });
        told?;
        tally
    } else {
        let mut given = Vec::new();
        for path in &args.about {
            given.push((path.display().to_string(), load(&[path])?.unit));
        }
        let about = |(name, unit): &(String, _)| {
            Subject::given(name, unit, &config.verify).map(|subject| lie_about(&subject, lies, &config))
        };
        let all: Vec<Option<Tally>> = threads.install(|| given.par_iter().map(about).collect());
        let mut tally = Tally::default();
        all.into_iter().flatten().for_each(|more| tally.merge(more));
        tally.believed.iter().try_for_each(|believed| writeln!(out, "{believed}"))?;
        tally
    };
    write!(out, "{tally}")?;
    Ok(if tally.believed.is_empty() { Status::Success } else { Status::Internal })
}

fn tell(event: Event<'_>, args: &FuzzArgs, out: &mut impl Write) -> Result<(), Failure> {
    match (event, &args.save) {
        (Event::Judged { number, case, judgement }, _) => {
            if args.list {
                let kinds: Vec<&str> = case.mutations.iter().map(|mutation| mutation.text()).collect();
                let reason = judgement.reason.as_deref().unwrap_or_default();
                writeln!(out, "{number}\t{}\t{:?}\t{reason}", kinds.join(" + "), judgement.ending)?;
            }
        }
        (Event::Found(finding), None) => writeln!(out, "{}", finding.text())?,
        (Event::Found(finding), Some(directory)) => {
            let path = directory.join(format!("{}-{}-{}.l", finding.fault.word(), args.seed, finding.number));
            fs::create_dir_all(directory).map_err(|error| Failure::Write { path: directory.clone(), error })?;
            fs::write(&path, finding.text()).map_err(|error| Failure::Write { path: path.clone(), error })?;
            writeln!(out, "fault in case {}: see {}", finding.number, path.display())?;
        }
    }
    Ok(())
}
