//! Public corpora, where they are at hand: they are not part of the project.
//!
//! `ARGSPAN_CORPORA` names the folder; without it, one beside the checkout is tried. Where there
//! is none, each test says that it skips, and passes.

use crate::drive::{
    UNLIMITED, check_cuts, check_prefixes, check_two_way_splits, decide_cut, random_cuts,
};
use crate::fixtures::{root, rows, text, texts};
use crate::reference::Fed;
use argspan_oracle::{Judgement, judge};
use argspan_scanner::{Repair, Scanner, Stop, check};
use serde_json::Value;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// A file or folder of the corpora, or nothing after having said so.
fn corpus(name: &str) -> Option<PathBuf> {
    let folder = env::var_os("ARGSPAN_CORPORA")
        .map_or_else(|| root().join("../shared/corpora"), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    // Not `println!`, which a passing test keeps to itself.
    let _ = writeln!(io::stderr(), "skipped: no {name} in {}", folder.display());
    None
}

/// The decision agrees with oracle and reference, whole and cut at random, in both forms.
fn check_text(raw: &str, seed: u64) {
    let expected = Fed::bytes(raw.as_bytes()).expect(UNLIMITED).decisions;
    assert_eq!(check(raw.as_bytes()), expected[0], "{raw}");
    let cuts = random_cuts(raw.len(), seed);
    assert_eq!(
        decide_cut(raw.as_bytes(), &cuts, UNLIMITED),
        expected,
        "{raw}"
    );
    let units: Vec<u16> = raw.encode_utf16().collect();
    let expected = Fed::utf16(&units).expect(UNLIMITED).decisions;
    let cuts = random_cuts(units.len(), seed);
    assert_eq!(decide_cut(&units[..], &cuts, UNLIMITED), expected, "{raw}");
    match judge("tool", raw) {
        Judgement::Accepted { .. } => assert_eq!(expected[0].kind, None, "{raw}"),
        Judgement::Reported { first_err, .. } => {
            let error = expected[0].error.map(|error| error.to_string());
            assert_eq!(error, Some(first_err), "{raw}");
        }
    }
}

#[test]
fn guarantee_2_json_test_suite() {
    let Some(folder) = corpus("JSONTestSuite") else {
        return;
    };
    let mut seen = [0; 3];
    for part in ["test_parsing", "test_transform"] {
        for entry in fs::read_dir(folder.join(part)).expect("the suite") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            let bytes = fs::read(&path).expect("a file of the suite");
            let decision = check(&bytes);
            assert_eq!(
                decision,
                Fed::bytes(&bytes).expect(UNLIMITED).decisions[0],
                "{name}"
            );
            if bytes.len() <= 300 {
                let expected = check_prefixes(&bytes[..], UNLIMITED);
                check_two_way_splits(&bytes[..], &expected, UNLIMITED);
            } else {
                let whole = Fed::bytes(&bytes).expect(UNLIMITED).decisions;
                for seed in 1..=20 {
                    let cuts = random_cuts(bytes.len(), seed);
                    assert_eq!(decide_cut(&bytes[..], &cuts, UNLIMITED), whole, "{name}");
                }
            }
            let direct = decision.repair == Some(Repair::None);
            let value = serde_json::from_slice::<Value>(&bytes);
            match name.as_bytes()[0] {
                // A file that every parser takes runs if it holds an object.
                b'y' => {
                    let object = value.expect("valid for serde_json").is_object();
                    assert_eq!(direct, object, "{name}");
                    seen[0] += 1;
                }
                // A file that no parser takes may hold an object among other text, no more.
                b'n' => {
                    assert!(!direct, "{name}");
                    seen[1] += 1;
                }
                // The others are as serde_json has them.
                _ => {
                    assert_eq!(direct, value.is_ok_and(|value| value.is_object()), "{name}");
                    seen[2] += 1;
                }
            }
        }
    }
    assert!(
        seen[0] >= 95 && seen[1] >= 188 && seen[2] >= 35,
        "{seen:?} files"
    );
}

#[test]
fn guarantee_2_machine_enumerated_json() {
    let Some(path) = corpus("jsonriver-jsonhead/jsonhead.txt") else {
        return;
    };
    let lines = fs::read_to_string(path).expect("the texts");
    for (index, line) in lines.lines().enumerate() {
        if index % 16 == 0 {
            check_text(line, index as u64);
            continue;
        }
        // The verdict's search is dear; here the whole text and its bytes one by one suffice.
        let decision = check(line.as_bytes());
        let object = serde_json::from_str::<Value>(line)
            .expect("valid")
            .is_object();
        assert_eq!(decision.repair == Some(Repair::None), object, "{line}");
        let mut single = Scanner::new(UNLIMITED);
        for byte in line.as_bytes() {
            single.feed(&[*byte]);
        }
        assert_eq!(single.decide(Stop::Finished), decision, "{line}");
    }
}

#[test]
fn guarantee_2_arguments_of_real_and_benchmarked_calls() {
    for file in [
        "bfcl/args.jsonl",
        "tau-bench/args.jsonl",
        "toolbench/args.jsonl",
        "pydantic-ai-sse/args.jsonl",
        "jsonrepair/inputs.jsonl",
        "partial-json/inputs.jsonl",
    ] {
        let Some(path) = corpus(file) else { continue };
        for (index, row) in rows(&path).iter().enumerate() {
            if let Some(raw) = row["raw"].as_str() {
                check_text(raw, index as u64);
            }
        }
    }
}

#[test]
fn guarantee_1_texts_that_others_repair_at_every_prefix() {
    for file in ["jsonrepair/inputs.jsonl", "partial-json/inputs.jsonl"] {
        let Some(path) = corpus(file) else { continue };
        for row in rows(&path) {
            let raw = text(&row, "raw").as_bytes();
            let expected = check_prefixes(raw, UNLIMITED);
            if raw.len() <= 100 {
                check_two_way_splits(raw, &expected, UNLIMITED);
            }
        }
    }
}

#[test]
fn guarantee_1_arguments_in_the_pieces_in_which_they_were_streamed() {
    for file in [
        "vercel-ai-chunks/args.jsonl",
        "pydantic-ai-sse/stream-args.jsonl",
    ] {
        let Some(path) = corpus(file) else { continue };
        for row in rows(&path) {
            let deltas = texts(&row, "deltas");
            let raw = deltas.concat();
            let expected = check_prefixes(raw.as_bytes(), UNLIMITED);
            let mut at = 0;
            let mut cuts = Vec::new();
            for delta in &deltas {
                at += delta.len();
                cuts.push(at);
            }
            check_cuts(raw.as_bytes(), &expected, &cuts, UNLIMITED);
        }
    }
}

#[test]
fn guarantee_2_documents() {
    for folder in ["jiter-benches", "simdjson"] {
        let Some(folder) = corpus(folder) else {
            continue;
        };
        for entry in fs::read_dir(folder).expect("the documents") {
            let path = entry.expect("an entry").path();
            let Ok(raw) = fs::read_to_string(&path) else {
                continue;
            };
            check_text(&raw, 1);
            // As the string of a call, and as a call that was encoded twice.
            check_text(&format!("{{\"document\":{}}}", Value::from(&*raw)), 2);
            check_text(
                &Value::from(format!("{{\"document\":{raw}}}")).to_string(),
                3,
            );
        }
    }
}
