//! Some bytes at once, as a number whose lowest place is the first of them.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

/// The next four bytes.
#[inline(always)]
fn four(bytes: &[u8], index: usize) -> Option<u32> {
    // In these words because the compiler sees that they are enough.
    if bytes.len().checked_sub(4)? < index {
        return None;
    }
    Some(u32::from_le_bytes(*bytes[index..].first_chunk()?))
}

/// The length of the literal that stands at `index`, where it is whole.
#[inline(always)]
pub fn literal_length(bytes: &[u8], index: usize) -> Option<usize> {
    const TRUE: u32 = u32::from_le_bytes(*b"true");
    const NULL: u32 = u32::from_le_bytes(*b"null");
    const FALS: u32 = u32::from_le_bytes(*b"fals");
    match four(bytes, index)? {
        TRUE | NULL => Some(4),
        FALS if bytes.get(index + 4) == Some(&b'e') => Some(5),
        _ => None,
    }
}

/// Whether these two bytes stand at `index`, and two more behind them: so they do but at a text's end.
#[inline(always)]
pub fn stand_at(bytes: &[u8], index: usize, expected: [u8; 2]) -> bool {
    let expected = u32::from(u16::from_le_bytes(expected));
    four(bytes, index).is_some_and(|next| next & 0xFFFF == expected)
}
