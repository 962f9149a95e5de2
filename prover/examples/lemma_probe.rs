//! probe
use std::collections::BTreeSet;
fn main() {
    std::thread::Builder::new()
        .stack_size(512 << 20)
        .spawn(|| {
            let (mut ok, mut bad) = (0, 0);
            for path in std::env::args().skip(1) {
                let text = std::fs::read_to_string(&path).unwrap();
                let Ok(loaded) = lang_l::load([(path.as_str(), text.as_str())]) else { continue };
                let unit = loaded.unit;
                if unit.versions.len() < 2 {
                    continue;
                }
                let lowered = prover::lower::lower(&unit);
                for version in 0..2 {
                    let effects = kernel::effects::syntactic(lowered.as_unit(), version);
                    let simulations = prover::lower::simulations(&unit, &lowered, version);
                    let wanted: BTreeSet<_> =
                        (0..lowered.versions()[version].procedures.len() as u32).map(lang_l::hir::ProcId).collect();
                    let of = kernel::lemma::Lowering {
                        source: &unit,
                        lowered: lowered.as_unit(),
                        version,
                        effects: &effects,
                        simulations: &simulations,
                    };
                    for (id, shown) in kernel::lemma::check(of, &wanted) {
                        match shown {
                            Ok(()) => ok += 1,
                            Err(e) => {
                                bad += 1;
                                println!("{path} {version} {}: {e}", lowered.procedure(version, id).name)
                            }
                        }
                    }
                }
            }
            println!("ok {ok} bad {bad}");
        })
        .unwrap()
        .join()
        .unwrap();
}
