//! Whoever watches a run.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use crate::skip::Backend;

/// Is told what a run passes. It is told of things as they end, so what it sees of a text that
/// fails is what stands before the failure.
pub trait Observer {
    /// A string or key begins behind the quote.
    #[inline(always)]
    fn string_begins(&mut self, _start: usize) {}
    /// The open string or key has a `\u` in it.
    #[inline(always)]
    fn unicode_escape(&mut self) {}
    /// It ends: at this index stands its closing quote.
    #[inline(always)]
    fn string_ends<B: Backend>(&mut self, _backend: B, _bytes: &[u8], _end: usize, _key: bool) {}
    /// A number stands here.
    #[inline(always)]
    fn number(&mut self, _bytes: &[u8], _start: usize, _end: usize) {}
    /// An array, or an object, opens.
    #[inline(always)]
    fn opens(&mut self, _object: bool) {}
    /// The innermost container closes: behind this index nothing belongs to it.
    #[inline(always)]
    fn closes(&mut self, _end: usize) {}
    /// A comma in an object, at this index.
    #[inline(always)]
    fn next_member(&mut self, _at: usize) {}
    /// A comma in an array.
    #[inline(always)]
    fn next_item(&mut self) {}
}

/// Nobody looks, and nothing of the above is left in the compiled run.
pub struct Unobserved;

impl Observer for Unobserved {}
