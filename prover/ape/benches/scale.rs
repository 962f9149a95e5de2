//! How the cost of verification grows with the program.
//!
//! In: generated programs, each with the verdict it must get. Out: criterion's measurements; with `--table`, instead, the
//! text of `prover/ape/benches/README.md` on standard output.
//!
//! Invariant: nothing is timed before its verdict was checked.

mod programs;
mod table;

use criterion::Criterion;
use programs::Runner;
use std::env;
use std::hint::black_box;
use std::time::Duration;

fn main() {
    let runner = Runner::new();
    if env::args().any(|argument| argument == "--table") {
        print!("{}", table::table(&runner));
        return;
    }
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for program in programs::all() {
        runner.check(&program);
        criterion.bench_function(&program.name, |bencher| bencher.iter(|| runner.overall(black_box(&program.text))));
    }
    criterion.final_summary();
}
