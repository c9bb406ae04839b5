//! What stands around a text's object: copies of it, closing brackets, braces that are no JSON.
//!
//! Every object that the text begins is read by the grammar, and the first that does not close
//! ends the search: behind it nobody can say what is inside of what. For the same reason braces of
//! other text (`{see 4.1}`) have to stand in pairs with no brace between.

use core::ops::Range;

use super::strings::{Inside, Reader};
use crate::form::Form;
use crate::white;

/// The one object of a text, and what else there is.
#[derive(Clone, Debug)]
pub struct Around {
    /// Where the object stands, or the first of its copies.
    pub object: Range<usize>,
    /// What its strings hold.
    pub inside: Inside,
    /// Whether the object stands there more than once.
    pub copies: bool,
    /// Whether brackets that close nothing stand behind it.
    pub closers: bool,
    /// Whether other text has braces.
    pub braces: bool,
    /// Whether there is other text at all.
    pub other: bool,
}

/// Reads a text in UTF-8. `None` where it does not have exactly one object, copies aside, or has
/// braces of which nobody can say what they mean.
pub fn read(text: &[u8], literal: bool) -> Option<Around> {
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
    Some(Around {
        object,
        inside,
        copies,
        closers,
        braces,
        other,
    })
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
