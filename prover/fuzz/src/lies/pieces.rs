//! Pieces of what relates two loops, made at random.

use kernel::pair::plan::Turns;
use kernel::relate::{Apart, Part};
use lang_l::random::Random;

/// A place at which heaps may differ, perhaps.
pub(super) fn place(random: &mut Random) -> Apart {
    let version = if random.percent(3) { 2 } else { random.below(2) };
    let of = match random.below(3) {
        0 => Part::Cell { before: random.below(5), after: random.percent(70).then(|| random.below(7)) },
        _ => Part::Field(u32::try_from(random.below(5)).unwrap_or(0)),
    };
    Apart { version, parameter: random.below(5), of }
}

/// Turns laid side by side somehow; now and then too many.
pub(super) fn turns(random: &mut Random) -> Turns {
    let mut few = || if random.percent(5) { usize::MAX } else { random.below(3) };
    let (first, more) = ([few(), few()], [few(), few()]);
    Turns { first, more, told_apart: random.percent(60), within: random.percent(20) }
}
