//! What stands around a text's object: copies of it, closing brackets, braces that are no JSON.
//!
//! Every object that the text begins is read by the grammar, and the first that does not close
//! ends the search: behind it nobody can say what is inside of what. For the same reason braces of
//! other text (`{see 4.1}`) have to stand in pairs with no brace between.

use core::ops::Range;

use super::repairs;
use super::strings::{Inside, Reader};
use crate::form::Form;
use crate::white;

/// Where a text in UTF-8 has its object, or the first of its copies, and which repairs that takes; none
/// where the rule finds it. `None` where the text does not have exactly one object, copies aside, or
/// has braces of which nobody can say what they mean.
pub fn read(text: &[u8], literal: bool) -> Option<(Range<usize>, u32)> {
    let mut at = 0;
    let mut reader = Reader::new(text, literal);
    let mut first: Option<(Range<usize>, Inside)> = None;
    let (mut copies, mut closers, mut braces, mut other) = (false, false, false, false);
    while let Some(brace) = next_brace(text, at) {
        other |= !is_blank(&text[at..brace]);
        if text[brace] == b'}' {
            return None;
        }
        if !begins_object(text, brace) {
            let closing = next_brace(text, brace + 1).filter(|&at| text[at] == b'}')?;
            (braces, other) = (true, true);
            at = closing + 1;
            continue;
        }
        let (object, inside) = reader.read(brace, &mut |_| ())?;
        at = object.end;
        if let Some(end) = closers_behind(text, at) {
            closers = true;
            at = end;
        }
        match &first {
            None => first = Some((object, inside)),
            Some((known, _)) if text[known.clone()] == text[object] => copies = true,
            Some(_) => return None,
        }
    }
    other |= !is_blank(&text[at..]);
    let (object, inside) = first?;
    // One object without another brace in the text is what the rule finds, whatever else is there.
    let by_rule = !(copies || closers || braces);
    let need = |what: bool, repair| if what { repair } else { 0 };
    let needed = need(other && !by_rule, repairs::UNIQUE_OBJECT)
        | need(copies, repairs::REPEATED_COPIES)
        | need(inside.control, repairs::CONTROL_CHARACTERS)
        | need(inside.backslash, repairs::LITERAL_BACKSLASHES)
        | need(closers, repairs::EXTRA_CLOSERS);
    Some((object, needed))
}

fn next_brace(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let found = rest.iter().position(|byte| matches!(byte, b'{' | b'}'))?;
    Some(from + found)
}

/// Whether a brace is followed by what follows it in an object.
fn begins_object(text: &[u8], brace: usize) -> bool {
    let inside = text[brace + 1..].iter();
    let mut tokens = inside.filter(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    matches!(tokens.next(), Some(b'"' | b'}'))
}

/// The end of the closing brackets that stand from here on, where a brace is among them. Square
/// ones alone are other text, as they are to the rule.
fn closers_behind(text: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut end, mut brace) = (from, from, false);
    loop {
        at += white::leading(Form::Utf8, &text[at..]);
        let Some(closer @ (b'}' | b']')) = text.get(at) else {
            return brace.then_some(end);
        };
        brace |= *closer == b'}';
        at += 1;
        end = at;
    }
}

fn is_blank(text: &[u8]) -> bool {
    white::leading(Form::Utf8, text) == text.len()
}
