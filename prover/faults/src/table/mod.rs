//! All faults that can be switched on.

mod kernel;
mod outside;

/// A fault that was planted.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its name.
    pub name: &'static str,
    /// The file that it is in.
    pub place: &'static str,
    /// What goes wrong.
    pub what: &'static str,
    /// Whether it is in the kernel, and so may make wrong answers.
    pub in_kernel: bool,
    /// For a check that is left out in the kernel: the fault outside that it would have found. Both are switched on.
    pub hides: Option<&'static str>,
}

const fn outside(name: &'static str, place: &'static str, what: &'static str) -> Fault {
    Fault { name, place, what, in_kernel: false, hides: None }
}

const fn kernel(name: &'static str, place: &'static str, what: &'static str) -> Fault {
    Fault { name, place, what, in_kernel: true, hides: None }
}

const fn hiding(fault: Fault, hides: &'static str) -> Fault {
    Fault { hides: Some(hides), ..fault }
}

/// Every fault, each once: those outside the kernel first.
pub const ALL: &[Fault] = &joined::<{ outside::ALL.len() + kernel::ALL.len() }>(outside::ALL, kernel::ALL);

const fn joined<const N: usize>(first: &[Fault], then: &[Fault]) -> [Fault; N] {
    let mut all = [first[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < first.len() { first[at] } else { then[at - first.len()] };
        at += 1;
    }
    all
}
