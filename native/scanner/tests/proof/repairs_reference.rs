//! What must hold of the opt-in repairs of any text; the fuzz target asks the same.

use argspan_scanner::{Kind, Repair, Repaired, check, repair, repairs};
use serde_json::Value;

/// Asks for every set of repairs, and compares what they say with each other and with serde_json.
pub fn check_repairs(bytes: &[u8]) -> Option<Repaired<'_>> {
    let by_rule = check(bytes);
    let all = repair(bytes, repairs::ALL);
    for allowed in 0..=repairs::ALL {
        // What is needed depends on the text alone: more repairs change nothing that fewer gave.
        let expected = all
            .as_ref()
            .filter(|repaired| repaired.needed & !allowed == 0);
        assert_eq!(repair(bytes, allowed).as_ref(), expected, "{allowed:b}");
    }
    let Some(repaired) = &all else {
        return None;
    };
    assert_eq!(
        by_rule.kind,
        Some(Kind::Malformed),
        "neither accepted nor truncated"
    );
    assert_ne!(repaired.needed, 0);
    let object = str::from_utf8(&repaired.text).expect("text");
    let value = serde_json::from_str::<Value>(object).expect("JSON to serde_json");
    assert!(value.is_object());
    let again = check(&repaired.text);
    assert_eq!((again.kind, again.repair), (None, Some(Repair::None)));

    let index = |at: u64| usize::try_from(at).expect("an index");
    let slice = &bytes[index(repaired.span.start)..index(repaired.span.end)];
    let in_strings = repairs::CONTROL_CHARACTERS | repairs::LITERAL_BACKSLASHES;
    if repaired.needed & in_strings == 0 {
        assert_eq!(slice, &*repaired.text, "what stands there");
    } else {
        assert!(slice.len() < repaired.text.len(), "something was escaped");
    }
    let units = |end: u64| {
        let before = str::from_utf8(&bytes[..index(end)]).expect("whole characters");
        before.encode_utf16().count() as u64
    };
    assert_eq!(repaired.span_utf16.start, units(repaired.span.start));
    assert_eq!(repaired.span_utf16.end, units(repaired.span.end));
    all
}
