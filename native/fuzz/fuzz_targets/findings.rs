//! An inspection of any text finds what the slow one finds, in bytes and in units; bytes that are no
//! text, and units with halves of pairs, are refused.
#![no_main]

use argspan_fuzz::findings_reference;
use argspan_scanner::Inspector;
use libfuzzer_sys::fuzz_target;

fn found(inspector: &Inspector) -> Vec<findings_reference::Finding> {
    serde_json::from_str(&inspector.json()).expect("it is JSON")
}

fuzz_target!(|data: &[u8]| {
    let mut inspector = Inspector::default();
    let wanted = u32::MAX;
    // Two bytes a unit: most are halves of nothing.
    let raw: Vec<u16> = data
        .as_chunks::<2>()
        .0
        .iter()
        .map(|&pair| u16::from_le_bytes(pair))
        .collect();
    if inspector.inspect_utf16(&raw, wanted) {
        assert!(String::from_utf16(&raw).is_ok());
    }
    let Ok(text) = std::str::from_utf8(data) else {
        assert!(!inspector.inspect(data, wanted));
        return;
    };
    let expected = findings_reference::findings(text);
    let units: Vec<u16> = text.encode_utf16().collect();
    assert_eq!(inspector.inspect(data, wanted), expected.is_some());
    if let Some(expected) = &expected {
        assert_eq!(&found(&inspector), expected);
    }
    assert_eq!(inspector.inspect_utf16(&units, wanted), expected.is_some());
    if let Some(expected) = &expected {
        assert_eq!(&found(&inspector), expected);
    }
});
