//! Reads a recorded stream many times and measures nothing: what an instruction counter is run on.
//!
//! ```text
//! wire FORMAT FILE TIMES [CHUNK]
//! ```
//!
//! FORMAT is chat, messages or responses; CHUNK is how many bytes are fed at a time (default: an
//! event).

use argspan_scanner::{Format, Keep, Options, Scratch, Stream};

const OPTIONS: Options = Options {
    argument_bytes_max: 1 << 24,
    total_bytes_max: 1 << 26,
    event_bytes_max: 1 << 26,
    calls_max: 128,
    name_bytes_max: 256,
    keep: Keep::All,
    fragments: false,
    by_text: false,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [format, file, times, rest @ ..] = &arguments[..] else {
        panic!("wire FORMAT FILE TIMES [CHUNK]");
    };
    let format = match format.as_str() {
        "chat" => Format::Chat,
        "messages" => Format::Messages,
        "responses" => Format::Responses,
        other => panic!("{other} is no format"),
    };
    let bytes = std::fs::read(file).expect("a recorded stream");
    let chunks: Vec<&[u8]> = match rest.first() {
        Some(size) => bytes.chunks(size.parse().expect("a size")).collect(),
        None => events(&bytes),
    };
    let mut scratch = Scratch::default();
    let mut calls = 0;
    for _ in 0..times.parse().expect("a number of times") {
        let mut stream = Stream::new(Some(format), OPTIONS);
        for chunk in &chunks {
            stream.feed(chunk, &mut scratch);
        }
        stream.flush(&mut scratch);
        calls += usize::from(stream.calls().get(0).is_some_and(|call| call.finished));
    }
    println!("{calls} calls in {} chunks", chunks.len());
}

/// The stream, cut behind every blank line.
fn events(bytes: &[u8]) -> Vec<&[u8]> {
    let mut events = Vec::new();
    let mut start = 0;
    for at in 2..=bytes.len() {
        if bytes[at - 2..at] == *b"\n\n" {
            events.push(&bytes[start..at]);
            start = at;
        }
    }
    events.push(&bytes[start..]);
    events
}
