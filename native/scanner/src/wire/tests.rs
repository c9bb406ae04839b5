//! Recognising an event must never show in what is said of a stream: each is read in chunks that
//! hold whole events, where most are recognised, and byte by byte, where none can be.

use super::{Format, Scratch, Stream};
use crate::calls::{Note, Options};
use crate::text::Keep;
use std::prelude::v1::*;

const FORMATS: [Format; 3] = [Format::Chat, Format::Messages, Format::Responses];

/// What begins a call, and what its fragments look like: `@` is the fragment, `#` a number.
const CALLS: [[&[&str]; 2]; 3] = [
    [
        &[
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"t"}}]}}]}"#,
        ],
        &[
            r#"{"created":#,"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"@"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"@"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"@"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"name":"u","function":{"arguments":"@"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"d","function":{"name":"u","arguments":"@"}}]}}]}"#,
            r#"{"choices":[{"index":#,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"@"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"@"}},{"index":1,"function":{"arguments":"@"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"@","arguments":"@"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"@"}},{"index":1}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"@"},"finish_reason":null}],"usage":#}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"@"},"finish_reason":"@"}]}"#,
            r#"{"choices":[{"index":0,"delta":{"function_call":{"name":"t","arguments":"@"}}}]}"#,
            r#"{"choices":[],"note":"@","error":{"message":"@"}}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#,
            "[DONE]",
        ],
    ],
    [
        &[
            r#"{"type":"message_start","message":{"id":"m"}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"t","input":{}}}"#,
        ],
        &[
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"@"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"@"}       }"#,
            r#"{"index":0,"delta":{"type":"input_json_delta","partial_json":"@"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"@"}}"#,
            r#"{"type":"content_block_delta","index":7,"delta":{"partial_json":"@"}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"@"}}"#,
            r#"{"type":"content_block_delta","index":#,"delta":{"type":"@","partial_json":"@"}}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"@"}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"@"}}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"u","input":{}}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_start","message":{"id":"n"}}"#,
            r#"{"type":"ping","n":#,"s":"@"}"#,
            r#"{"type":"error","error":{"type":"x","message":"@"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":#}"#,
            r#"{"type":"message_stop"}"#,
        ],
    ],
    [
        &[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"t"}}"#,
        ],
        &[
            r#"{"type":"response.function_call_arguments.delta","sequence_number":#,"item_id":"f","output_index":0,"delta":"@","obfuscation":"@"}"#,
            r#"{"type":"response.function_call_arguments.delta","item_id":"f","delta":"@"}"#,
            r#"{"type":"response.function_call_arguments.delta","sequence_number":#,"item_id":"g","output_index":1,"delta":"@"}"#,
            r#"{"type":"response.function_call_arguments.delta","delta":"@","n":#}"#,
            r#"{"type":"response.output_text.delta","sequence_number":#,"delta":"@","obfuscation":"@"}"#,
            r#"{"sequence_number":#,"output_index":0,"delta":"@"}"#,
            r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"g","call_id":"d","name":"u"}}"#,
            r#"{"type":"response.function_call_arguments.done","output_index":0,"arguments":"@"}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","arguments":"@"}}"#,
            r#"{"type":"response.completed","response":{"output":[]}}"#,
        ],
    ],
];

const NAMES: [&str; 6] = [
    "",
    "event: content_block_delta\n",
    "event: content_block_stop\n",
    "event: response.function_call_arguments.delta\n",
    ": note\n",
    "id: 1\nevent: message_stop\n",
];

const FRAGMENTS: [&str; 22] = [
    "",
    "{",
    "{}",
    "{\\\"a\\\":",
    "\\\"text",
    "word",
    " ",
    "\\\\n",
    "\\\\",
    "\\\"",
    "}",
    "\\\"}",
    "\\n",
    "\\ud83d",
    "\\ude00",
    "\\u00e9",
    "é",
    "1",
    ",",
    "a rather long piece of text, more than a block of it goes on",
    "\\x",
    "\u{FFFD}",
];

const NUMBERS: [&str; 9] = ["0", "7", "10", "999", "1000", "-1", "1e999", "01", "null"];

const ENDS: [&str; 6] = ["\n\n", "\r\n\r\n", "\n\r\n", "\r\r", "\n: x\n\n", "\n"];

/// Chance that is the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// An event's lines: the same shape as before mostly, and what stands in it by chance.
fn event(chance: &mut Chance, name: &str, shape: &str, end: &str) -> Vec<u8> {
    let mut event = format!("{name}data: ");
    for part in shape.split_inclusive(['@', '#']) {
        let (text, hole) = part.split_at(part.len() - 1);
        event.push_str(text);
        event.push_str(match hole {
            "@" => chance.one(&FRAGMENTS),
            "#" => chance.one(&NUMBERS),
            other => other,
        });
    }
    event.push_str(end);
    let mut event = event.into_bytes();
    if chance.below(40) == 0 {
        // What nobody sends on purpose.
        let at = chance.below(event.len());
        event[at] = b"\"\\{}\n\r 0\xFF\x00"[chance.below(10)];
    }
    event
}

/// A stream's events, and from where on each stands.
fn events(format: usize, chance: &mut Chance) -> Vec<Vec<u8>> {
    let [begin, shapes] = CALLS[format];
    let mut all: Vec<_> = begin
        .iter()
        .map(|text| format!("data: {text}\n\n").into_bytes())
        .collect();
    for _ in 0..=chance.below(6) {
        // The first shape is the one that streams are made of.
        let shape = if chance.below(3) == 0 {
            shapes[0]
        } else {
            chance.one(shapes)
        };
        let name = if chance.below(3) == 0 {
            chance.one(&NAMES)
        } else {
            ""
        };
        let end = if chance.below(4) == 0 {
            chance.one(&ENDS)
        } else {
            "\n\n"
        };
        for _ in 0..=chance.below(5) {
            all.push(event(chance, name, shape, end));
        }
    }
    all
}

fn options(shape: usize) -> Options {
    let small = shape.is_multiple_of(4);
    Options {
        argument_bytes_max: if small { 24 } else { 1 << 20 },
        total_bytes_max: if small { 64 } else { 1 << 22 },
        event_bytes_max: if shape % 5 == 1 { 128 } else { 1 << 20 },
        calls_max: if shape % 7 == 2 { 1 } else { 128 },
        name_bytes_max: if small { 8 } else { 256 },
        keep: if shape % 3 == 1 {
            Keep::Start(12)
        } else {
            Keep::All
        },
        fragments: shape % 2 == 1,
        by_text: shape % 11 == 3,
    }
}

/// Everything that is said of a stream. Fragments are joined, and of each verdict it is said what
/// the text was: both come as the chunks do.
fn said<'a>(
    chunks: impl Iterator<Item = &'a [u8]>,
    format: Format,
    shape: usize,
) -> (Vec<String>, usize) {
    let mut stream = Stream::new(Some(format), options(shape));
    let mut scratch = Scratch::default();
    let mut said = Vec::new();
    let mut recognised = 0;
    for chunk in chunks {
        recognised += usize::from(stream.reader.template.recognise(chunk).is_some());
        stream.feed(chunk, &mut scratch);
        take(&mut stream, &mut said);
    }
    stream.flush(&mut scratch);
    take(&mut stream, &mut said);
    said.push(format!("{} skipped", stream.skipped()));
    (said, recognised)
}

fn take(stream: &mut Stream, said: &mut Vec<String>) {
    while let Some(note) = stream.calls_mut().next_note() {
        let calls = stream.calls();
        let told = match note {
            Note::Fragment(call, range) => format!("{call} {:?}", calls.note_text(range)),
            Note::Error { message, .. } => format!("error {:?}", calls.note_text(message)),
            Note::Start(call) => format!("{call} starts"),
            Note::Verdict(call, judged) => format!("{call} {judged:?}"),
            Note::Finish(number) => {
                let call = calls.get(number).unwrap();
                let (text, word) = (
                    call.text.assembled(),
                    if call.word_known {
                        calls.word(number)
                    } else {
                        b""
                    },
                );
                let (id, name, decision) = (&call.id, &call.name, call.decide());
                format!(
                    "{number} {id:?} {name:?} {text:?} {word:?} {} {decision:?}",
                    call.finished
                )
            }
        };
        said.push(told);
    }
    stream.calls_mut().forget_notes();
}

#[test]
fn what_is_recognised_says_what_it_would_have_said() {
    let mut chance = Chance(0x2545_F491_4F6C_DD1D);
    let mut all = 0;
    for round in 0..6000 {
        let format = round % 3;
        let events = events(format, &mut chance);
        let bytes = events.concat();
        let wire = FORMATS[format];
        let expected = said(bytes.chunks(1), wire, round).0;
        let (by_event, recognised) = said(events.iter().map(|event| &event[..]), wire, round);
        let shown = String::from_utf8_lossy(&bytes);
        assert_eq!(
            by_event, expected,
            "an event a chunk, round {round}: {shown}"
        );
        assert_eq!(
            said([&bytes[..]].into_iter(), wire, round).0,
            expected,
            "whole: {shown}"
        );
        let size = 1 + chance.below(300);
        assert_eq!(
            said(bytes.chunks(size), wire, round).0,
            expected,
            "chunks of {size}: {shown}"
        );
        all += recognised;
    }
    // Or nothing was shown.
    assert!(6000 < all, "{all}");
}

/// What a response is, its first bytes say: cut as they may be.
#[test]
fn guarantee_1_what_a_response_is_does_not_depend_on_how_it_was_cut() {
    const BYTES: [&[u8]; 9] = [
        b"\xEF",
        b"\xBB",
        b"\xBF",
        b" ",
        b"\r",
        b"{",
        b"[",
        b"data: {}\n\n",
        b"\x80",
    ];
    for number in 0..BYTES.len().pow(5) {
        let parts = (0..5_u32).map(|place| BYTES[number / BYTES.len().pow(place) % BYTES.len()]);
        let bytes = parts.collect::<Vec<_>>().concat();
        let expected = said([&bytes[..]].into_iter(), FORMATS[0], 1).0;
        for size in 1..5 {
            assert_eq!(
                said(bytes.chunks(size), FORMATS[0], 1).0,
                expected,
                "chunks of {size}: {bytes:x?}"
            );
        }
    }
}

/// Whether an event is recognised behind others.
fn is_recognised(format: usize, before: &[&str], event: &str) -> bool {
    let mut stream = Stream::new(Some(FORMATS[format]), options(1));
    let mut scratch = Scratch::default();
    let begin = CALLS[format][0]
        .iter()
        .map(|text| format!("data: {text}\n\n"));
    for event in begin.chain(before.iter().map(|&event| event.to_owned())) {
        stream.feed(event.as_bytes(), &mut scratch);
    }
    stream.reader.template.recognise(event.as_bytes()).is_some()
}

#[test]
fn only_what_does_the_same_is_recognised() {
    let delta = |index, key, text, tail| {
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"input_json_delta\",\"{key}\":{text}}}{tail}"
        )
    };
    let usual = delta(0, "partial_json", "\"{\"", "}\n\n");
    for (text, tail) in [
        ("\"x\"", "}\n\n"),
        ("\"\\u00e9\\\"\"", "}\n\n"),
        ("\"\"", "   }\n\n"),
    ] {
        let event = delta(0, "partial_json", text, tail);
        assert!(is_recognised(1, &[&usual], &event), "{event}");
    }
    let others = [
        delta(1, "partial_json", "\"x\"", "}\n\n"),
        delta(0, "partial_jsom", "\"x\"", "}\n\n"),
        delta(0, "partial_json", "null", "}\n\n"),
        delta(0, "partial_json", "{\"a\":\"x\"}", "}\n\n"),
        delta(0, "partial_json", "\"x", "}\n\n"),
        delta(0, "partial_json", "\"x\ny\"", "}\n\n"),
        delta(0, "partial_json", "\"\\x\"", "}\n\n"),
        delta(0, "partial_json", "\"x\"", ",\"index\":1}\n\n"),
        delta(0, "partial_json", "\"x\"", "}}\n\n"),
        delta(0, "partial_json", "\"x\"", "\n}\n\n"),
        delta(0, "partial_json", "\"x\"", "}\n"),
        delta(0, "partial_json", "\"x\"", "}\r\n\r\n"),
        delta(0, "partial_json", "\"x\"", "}\ndata: x\n\n"),
        delta(0, "partial_json", "\"x\"", "}\n\n")
            .replace("event: content_block_delta", "event: content_block_stop"),
        delta(0, "partial_json", "\"x\"", "}\n\n").replace("data: ", "data:"),
    ];
    for event in others {
        assert!(!is_recognised(1, &[&usual], &event), "{event}");
    }
    // Behind something else nothing is known, nor where a fragment's own text decides.
    let stop = "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    assert!(!is_recognised(1, &[&usual, stop], &usual));
    let orphan = "data: {\"type\":\"content_block_delta\",\"index\":5,\"delta\":{\"partial_json\":\"\"}}\n\n";
    assert!(!is_recognised(1, &[stop, orphan], orphan));
}

#[test]
fn what_is_skipped_may_differ_once_it_has_differed() {
    let delta = |number: &str, fill: &str| {
        format!(
            "data: {{\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":{number},\"output_index\":0,\"delta\":\"x\",\"obfuscation\":{fill}}}\n\n"
        )
    };
    let (one, two) = (delta("9", "\"abc\""), delta("10", "\"de\\\"f\""));
    assert!(is_recognised(2, &[&one], &one));
    assert!(!is_recognised(2, &[&one], &two));
    let known = [&one[..], &two];
    for (number, fill) in [
        ("11", "\"\""),
        ("-1.5e9", "\"g\""),
        ("true", "7"),
        ("\"\"", "null"),
    ] {
        let event = delta(number, fill);
        assert!(is_recognised(2, &known, &event), "{event}");
    }
    for (number, fill) in [
        ("01", "\"\""),
        ("[]", "\"\""),
        ("1", "\"\n\""),
        ("1", ""),
        ("+1", "\"\""),
    ] {
        let event = delta(number, fill);
        assert!(!is_recognised(2, &known, &event), "{event}");
    }
}
