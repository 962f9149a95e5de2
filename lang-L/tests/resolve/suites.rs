//! Every sample program is legal.

use crate::{listed, resolved};
use std::path::Path;

/// Whether a file is one that may be refused, as the expectations beside it say.
fn may_be_refused(path: &Path) -> bool {
    let expected = std::fs::read_to_string(path.with_file_name("expected.tsv")).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    expected.lines().any(|line| line.starts_with(&format!("{name}\t")) && line.contains("refused"))
}

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
                if let (Err(diagnostics), false) = (result, may_be_refused(&path)) {
                    panic!("{}\n{}", path.display(), listed(&sources, &diagnostics));
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 0, "no programs in {}", suites.display());
}
