//! The decisions and the verdict on any bytes are those of the reference, which asks serde_json.
#![no_main]

use argspan_fuzz::reference::{Fed, STOPS};
use argspan_scanner::{Scanner, Verdict};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let expected = Fed::bytes(data).expect(u64::MAX);
    let mut scanner = Scanner::new(u64::MAX);
    scanner.feed(data);
    let verdict = scanner.verdict();
    let lags = expected.may_lag
        && expected.verdict == Verdict::Malformed
        && verdict == Verdict::Incomplete;
    if lags {
        return;
    }
    assert_eq!(verdict, expected.verdict);
    for (stop, expected) in STOPS.into_iter().zip(expected.decisions) {
        assert_eq!(scanner.decide(stop), expected, "{stop:?}");
    }
    assert_eq!(scanner.error(), expected.error);
    assert_eq!(scanner.object_start(), expected.object_start);
    if let Some(place) = expected.place {
        assert_eq!((scanner.depth(), scanner.in_string()), place);
    }
});
