//! Every sample program is legal.

use crate::{listed, resolved};
use std::path::Path;

#[test]
fn every_file_of_the_suites_resolves() {
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/suites");
    let Ok(folders) = std::fs::read_dir(&suites) else {
        println!("skipped: {} is not there", suites.display());
        return;
    };
    let mut seen = 0;
    for folder in folders.flatten() {
        for file in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            let path = file.path();
            if path.extension().is_some_and(|extension| extension == "l" || extension == "bl") {
                let text = std::fs::read_to_string(&path).unwrap();
                let (sources, result) = resolved(&[&text]);
                if let Err(diagnostics) = result {
                    panic!("{}\n{}", path.display(), listed(&sources, &diagnostics));
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 0, "no programs in {}", suites.display());
}
