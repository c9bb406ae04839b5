//! Reads a response and writes down all that is said about it.

use argspan_scanner::{Format, Keep, Note, Options, Scratch, Stream};

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Start(usize),
    Verdict(usize, u8, Option<(u64, u64)>),
    /// The number, whether finished, the assembly, and the text.
    Finish(usize, bool, u8, Vec<u8>),
    Error(Vec<u8>),
}

/// Options and format by the bits of a number: small limits show what large ones hide.
fn options_of(shape: u8) -> (Option<Format>, Options) {
    let format = match shape & 3 {
        0 => Some(Format::Chat),
        1 => Some(Format::Messages),
        2 => Some(Format::Responses),
        _ => None,
    };
    let small = shape & 4 != 0;
    let options = Options {
        argument_bytes_max: if small { 24 } else { 1 << 20 },
        total_bytes_max: if small { 64 } else { 1 << 22 },
        event_bytes_max: if shape & 8 != 0 { 256 } else { 1 << 20 },
        calls_max: if small { 3 } else { 128 },
        name_bytes_max: if small { 8 } else { 256 },
        keep: if shape & 16 != 0 {
            Keep::Start(12)
        } else {
            Keep::All
        },
        fragments: shape & 32 != 0,
        by_text: shape & 64 != 0,
    };
    (format, options)
}

/// Feeds a response in chunks of a size, and takes every note.
pub fn read(bytes: &[u8], shape: u8, size: usize) -> Vec<Said> {
    let (format, options) = options_of(shape);
    let mut stream = Stream::new(format, options);
    let mut scratch = Scratch::default();
    let mut said = Vec::new();
    for chunk in bytes.chunks(size.min(bytes.len()).max(1)) {
        stream.feed(chunk, &mut scratch);
        take(&mut stream, &mut said);
    }
    stream.flush(&mut scratch);
    take(&mut stream, &mut said);
    said
}

fn take(stream: &mut Stream, said: &mut Vec<Said>) {
    while let Some(note) = stream.calls_mut().next_note() {
        let calls = stream.calls();
        said.push(match note {
            Note::Start(call) => Said::Start(call),
            Note::Fragment(..) => continue,
            Note::Verdict(call, judged) => Said::Verdict(
                call,
                judged.verdict as u8,
                judged.span.map(|span| (span.start, span.end)),
            ),
            Note::Finish(number) => {
                let call = calls.get(number).expect("a call that finished");
                let text = call.text.assembled().to_vec();
                Said::Finish(number, call.finished, call.text.assembly() as u8, text)
            }
            Note::Error { message, .. } => Said::Error(calls.note_text(message).to_vec()),
        });
    }
    stream.calls_mut().forget_notes();
}

/// Checks the order of what was said.
pub fn told(said: &[Said]) {
    let mut started = Vec::new();
    let mut finished = Vec::new();
    for said in said {
        match said {
            Said::Start(call) => {
                assert!(!started.contains(call), "started twice");
                started.push(*call);
            }
            Said::Verdict(call, ..) => {
                assert!(
                    started.contains(call) && !finished.contains(call),
                    "out of order"
                );
            }
            Said::Finish(call, ..) => {
                assert!(
                    started.contains(call) && !finished.contains(call),
                    "out of order"
                );
                finished.push(*call);
            }
            Said::Error(_) => {}
        }
    }
    started.sort_unstable();
    finished.sort_unstable();
    assert_eq!(started, finished, "every call has an end");
}
