//! What a reader lets pass that the decision rule refuses. A reader that looks at less has less to
//! do, and its time should be read with that in mind.

use crate::readers::Reader;

/// Texts that argspan refuses, each for one reason.
const REFUSED: [(&str, &[u8]); 8] = [
    ("invalid UTF-8", b"{\"a\":\"\xff\"}"),
    ("a raw control character in a string", b"{\"a\":\"\x01\"}"),
    ("an unknown escape", b"{\"a\":\"\\x\"}"),
    ("half a surrogate pair as an escape", b"{\"a\":\"\\ud800\"}"),
    ("a number with a leading zero", b"{\"a\":01}"),
    ("a number beyond a double", b"{\"a\":1e999}"),
    ("a trailing comma", b"{\"a\":1,}"),
    ("text behind the object", b"{\"a\":1} b}"),
];

/// What one reader accepts of these.
pub struct Lenience {
    pub reader: &'static str,
    pub accepts: Vec<&'static str>,
}

/// Tries them all.
pub fn of(readers: &mut [Box<dyn Reader>]) -> Vec<Lenience> {
    let try_all = |reader: &mut Box<dyn Reader>| Lenience {
        reader: reader.name(),
        accepts: REFUSED
            .iter()
            .filter(|(_, text)| reader.read(text))
            .map(|&(what, _)| what)
            .collect(),
    };
    let lenience: Vec<_> = readers.iter_mut().map(try_all).collect();
    assert!(
        lenience[0].accepts.is_empty(),
        "the rule refuses all of them"
    );
    lenience
}
