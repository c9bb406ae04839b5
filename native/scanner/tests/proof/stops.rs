//! The stop signal: a text that was cut is never run, and the report stays true.

use crate::drive::UNLIMITED;
use argspan_scanner::{Kind, Repair, Scanner, Stop};

/// What one text is under each signal: the kind when finished, the kind when stopped, and whether
/// the report then speaks of the cut alone.
const ROWS: [(&str, Option<Kind>, Kind, bool); 15] = [
    // Acceptable, in every way there is.
    ("", None, Kind::Truncated, true),
    (" \n", None, Kind::Truncated, true),
    ("{\"a\":1}", None, Kind::Truncated, true),
    ("\"{\\\"a\\\":1}\"", None, Kind::Truncated, true),
    ("```json\n{\"a\":1}\n```", None, Kind::Truncated, true),
    ("Call: {\"a\":1}", None, Kind::Truncated, true),
    // Of the wrong shape: a whole value that is no object.
    ("[1]", Some(Kind::NotObject), Kind::Truncated, true),
    ("\"text\"", Some(Kind::NotObject), Kind::Truncated, true),
    (
        "[{\"a\":1},{\"b\":2}]",
        Some(Kind::NotObject),
        Kind::Truncated,
        true,
    ),
    ("\"a {\"", Some(Kind::Truncated), Kind::Truncated, true),
    // Cut already: the reason stays.
    ("{\"a\":", Some(Kind::Truncated), Kind::Truncated, false),
    ("[1", Some(Kind::Truncated), Kind::Truncated, false),
    // Wrong from the start, with an object still possible.
    ("not json", Some(Kind::Malformed), Kind::Truncated, false),
    // Hopeless.
    ("{\"a\":tru}", Some(Kind::Malformed), Kind::Malformed, false),
    (
        "{\"a\":1}{\"b\":2}",
        Some(Kind::Malformed),
        Kind::Malformed,
        false,
    ),
];

#[test]
fn guarantee_7_what_was_stopped_is_reported_whatever_the_text() {
    for (text, finished, stopped, cut) in ROWS {
        let mut scanner = Scanner::new(UNLIMITED);
        scanner.feed(text.as_bytes());
        let decision = scanner.decide(Stop::Finished);
        assert_eq!(decision.kind, finished, "{text:?}");
        assert!(!decision.cut, "{text:?}");
        for stop in [Stop::Length, Stop::Interrupted] {
            let other = scanner.decide(stop);
            assert_eq!(other.kind, Some(stopped), "{text:?}");
            assert_eq!(other.cut, cut, "{text:?}");
            // What the text holds stays known: it is what goes back into history.
            assert_eq!(
                (other.repair, other.span),
                (decision.repair, decision.span),
                "{text:?}"
            );
            assert_eq!(
                other.verdict, decision.verdict,
                "{text:?}: a verdict is the text's"
            );
            let error = if cut { None } else { decision.error };
            assert_eq!(other.error, error, "{text:?}");
        }
    }
}

#[test]
fn an_empty_text_is_an_empty_object() {
    for text in ["", " ", "\u{85}\u{2003}\n"] {
        let decision = argspan_scanner::check(text.as_bytes());
        assert_eq!(decision.repair, Some(Repair::Empty), "{text:?}");
        let span = decision.span.expect("accepted");
        assert_eq!((span.start, span.end), (0, 0), "{text:?}");
    }
}
