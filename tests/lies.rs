//! The kernel believes no lie, and the liars lie.

mod common;

use ape_fuzz::lies::subject::Subject;
use ape_fuzz::lies::{LieConfig, Tally, kinds, lie, lie_about};
use common::program::{Program, stem};
use common::{programs, root};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How many lies are told; all are made from one seed. `.ci/run` tells more.
const LIES: u64 = 300;
/// Stack of a thread that verifies, in bytes.
const STACK: usize = 512 << 20;

fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().stack_size(STACK).build().expect("threads can be made")
}

fn none_is_believed(tally: &Tally) {
    let believed: Vec<String> = tally.believed.iter().map(ToString::to_string).collect();
    assert!(believed.is_empty(), "{}", believed.join("\n"));
}

#[test]
fn no_lie_is_believed() {
    let tally = lie(&LieConfig::new(7, LIES), &pool(), &mut |_| {});
    none_is_believed(&tally);
    assert!(tally.offered() >= LIES, "{tally}");
    let known = kinds();
    assert!(tally.rows.keys().all(|kind| known.contains(kind) || *kind == "several together"), "{tally}");
    // Some lies come as far as the source, and some are refused for what they say of pairs.
    let far = |of: fn(&ape_fuzz::lies::Row) -> u64| tally.rows.values().map(of).sum::<u64>();
    assert!(far(|row| row.source) > 5 && far(|row| row.pair) > 50 && far(|row| row.alone) > 50, "{tally}");
}

#[test]
fn the_same_seed_tells_the_same_lies() {
    let told = || lie(&LieConfig::new(8, 40), &pool(), &mut |_| {}).to_string();
    assert_eq!(told(), told());
}

/// The traps differ in ways that nobody made up at random; every so many of them, as each is verified first.
#[test]
fn no_lie_about_a_trap_is_believed() {
    let config = LieConfig::new(9, 0);
    let files: Vec<_> = programs(&root().join("tests/traps")).into_iter().step_by(23).collect();
    let mut tally = Tally::default();
    pool().install(|| {
        for file in files {
            let Program { name, unit, .. } = Program::read(&stem(&file), &file).expect("a trap is legal");
            if let Some(subject) = Subject::given(&name, &unit, &config.verify) {
                tally.merge(lie_about(&subject, 12, &config));
            }
        }
    });
    none_is_believed(&tally);
    assert!(tally.subjects > 3, "{tally}");
}
