//! Findings once more, slowly: what an inspection is compared with.
//!
//! It goes through a text that `serde_json` takes, value by value, and asks it what each string
//! says; whatever is looked for is looked for in the decoded string.

use serde_json::Value;
use std::collections::BTreeSet;

/// A finding: code, path, detail.
pub type Finding = [String; 3];

/// Findings that are kept, and bytes of a path or detail.
const FOUND_MAX: usize = 32;
const BYTES_MAX: usize = 1024;

const SAFE_MAX: &str = "9007199254740991";

const MARKS: [&str; 14] = [
    "<think>",
    "</think>",
    "<thinking>",
    "</thinking>",
    "<thought>",
    "</thought>",
    "<reasoning>",
    "</reasoning>",
    "<reflection>",
    "<scratchpad>",
    "<|channel|>",
    "<|begin_of_thought|>",
    "[think]",
    "[/think]",
];

const PHRASES: [&str; 15] = [
    "let me think",
    "let me reason",
    "let me consider",
    "let's think",
    "i need to think",
    "thinking about this",
    "thinking step by step",
    "okay, let me",
    "ok, let me",
    "hmm, ",
    "first, let me",
    "first, i need to",
    "the user wants",
    "the user is asking",
    "the user asked",
];

/// What a text holds that deserves a look; `None` where it is not one object and nothing else.
pub fn findings(text: &str) -> Option<Vec<Finding>> {
    let object = text.starts_with('{') && text.ends_with('}');
    if !object || serde_json::from_str::<Value>(text).is_err() {
        return None;
    }
    let mut reader = Reader {
        text,
        at: 0,
        found: Vec::new(),
    };
    reader.value(&[], false);
    assert_eq!(reader.at, text.len());
    Some(kept(reader.found))
}

/// As many findings as are kept, a forbidden key among them in any case.
fn kept(mut found: Vec<Finding>) -> Vec<Finding> {
    if found.len() <= FOUND_MAX {
        return found;
    }
    let forbidden = |finding: &Finding| finding[0] == "forbidden-key";
    let more = found.len() - FOUND_MAX;
    let behind = found.split_off(FOUND_MAX);
    if !found.iter().any(forbidden) {
        found.extend(behind.into_iter().find(forbidden));
        if FOUND_MAX < found.len() {
            found.remove(FOUND_MAX - 1);
        }
    }
    found.push(["more".into(), String::new(), more.to_string()]);
    found
}

/// Reads a text that is known to be JSON.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    found: Vec<Finding>,
}

impl Reader<'_> {
    fn white(&mut self) {
        let rest = &self.text[self.at..];
        let inner = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.at += rest.len() - inner.len();
    }

    /// Whether a character is next, which is then read.
    fn takes(&mut self, character: char) -> bool {
        self.white();
        let takes = self.text[self.at..].starts_with(character);
        self.at += usize::from(takes);
        takes
    }

    fn string(&mut self) -> String {
        self.white();
        let rest = &self.text[self.at..];
        let mut escaped = false;
        let end = rest[1..]
            .find(|character| {
                let ends = character == '"' && !escaped;
                escaped = character == '\\' && !escaped;
                ends
            })
            .expect("a string ends")
            + 2;
        self.at += end;
        serde_json::from_str(&rest[..end]).expect("it is a string")
    }

    fn scalar(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find([' ', '\t', '\n', '\r', ',', ']', '}']);
        let end = end.unwrap_or(rest.len());
        self.at += end;
        rest[..end].into()
    }

    fn value(&mut self, path: &[String], in_constructor: bool) {
        self.white();
        match self.text.as_bytes()[self.at] {
            b'{' => self.object(path, in_constructor),
            b'[' => self.array(path),
            b'"' => {
                let value = self.string();
                if let Some(mark) = leak_of(&value) {
                    self.report("thinking-leak", path, &mark);
                }
            }
            _ => {
                let scalar = self.scalar();
                let digits = scalar.strip_prefix('-').unwrap_or(&scalar);
                let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
                if whole && (digits.len(), digits) > (SAFE_MAX.len(), SAFE_MAX) {
                    self.report("unsafe-integer", path, &scalar);
                }
            }
        }
    }

    fn object(&mut self, path: &[String], in_constructor: bool) {
        let mut keys = BTreeSet::new();
        assert!(self.takes('{'));
        while !self.takes('}') {
            self.takes(',');
            let key = self.string();
            let inner = [path, std::slice::from_ref(&key)].concat();
            if key == "__proto__" {
                self.report("forbidden-key", &inner, &key);
            } else if key == "prototype" && in_constructor {
                self.report("forbidden-key", path, "constructor");
            }
            if !keys.insert(key.clone()) {
                self.report("duplicate-key", &inner, &key);
            }
            assert!(self.takes(':'));
            self.value(&inner, key == "constructor");
        }
    }

    fn array(&mut self, path: &[String]) {
        assert!(self.takes('['));
        let mut item = 0;
        while !self.takes(']') {
            item += usize::from(self.takes(','));
            self.value(&[path, &[item.to_string()]].concat(), false);
        }
    }

    fn report(&mut self, code: &str, path: &[String], detail: &str) {
        let mut pointer = String::new();
        for part in path {
            let part = capped(part).replace('~', "~0").replace('/', "~1");
            pointer = format!("{pointer}/{part}");
            if BYTES_MAX < pointer.len() {
                pointer = capped(&pointer);
                break;
            }
        }
        self.found.push([code.into(), pointer, capped(detail)]);
    }
}

fn capped(text: &str) -> String {
    if text.len() <= BYTES_MAX {
        return text.into();
    }
    let end = (0..=BYTES_MAX).rfind(|&end| text.is_char_boundary(end));
    let end = end.expect("at 0 there is one");
    format!("{}…", &text[..end])
}

fn leak_of(value: &str) -> Option<String> {
    let lower = value.to_ascii_lowercase();
    let start = lower.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
    let phrase = PHRASES.into_iter().find(|phrase| start.starts_with(phrase));
    let mark = (0..lower.len()).find_map(|at| {
        let rest = lower.get(at..)?;
        MARKS.into_iter().find(|mark| rest.starts_with(mark))
    });
    phrase.or(mark).map(|found| found.trim_end().into())
}
