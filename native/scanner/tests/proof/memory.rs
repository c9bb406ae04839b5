//! A scanner is a few hundred bytes, whatever it was fed, and work is in proportion to the text.

use crate::drive::UNLIMITED;
use argspan_scanner::{Scanner, Stop};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::mem::{needs_drop, size_of};
use std::time::{Duration, Instant};

/// Counts what the thread allocates; the tests beside this one run on others.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may allocate after its counter is gone; nobody counts that.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are those that the system asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are those that the system asks for.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn guarantee_4_a_scanner_is_small_and_holds_nothing() {
    let size = size_of::<Scanner>();
    assert!(size <= 512, "{size} bytes");
    assert!(!needs_drop::<Scanner>());
}

#[test]
fn guarantee_4_feeding_and_asking_allocate_nothing() {
    assert_eq!(allocations(|| drop(vec![0_u8; 9])), 1, "the counter counts");
    let texts = [
        "{\"a\":[1,2.5e3,\"x\\n\\u00e9é\"],\"b\":{\"c\":null}}".repeat(100),
        "\"{\\\"a\\\":\\\"\\\\u00e9 \\u00e9\\\"}\"".to_owned(),
        "[".repeat(10_000),
        format!("{{\"a\":{}}}", "1".repeat(10_000)),
        format!("```json\n{{\"a\":\"{}\"}}\n```", "日本😀".repeat(1000)),
        format!("{{\"a\":1}} {}", "prose ".repeat(1000)),
    ];
    for text in &texts {
        let units: Vec<u16> = text.encode_utf16().collect();
        let count = allocations(|| {
            let mut bytes = Scanner::new(UNLIMITED);
            for piece in text.as_bytes().chunks(7) {
                bytes.feed(piece);
            }
            let mut utf16 = Scanner::new(UNLIMITED);
            for piece in units.chunks(5) {
                utf16.feed_utf16(piece);
            }
            for scanner in [bytes, utf16] {
                for stop in [Stop::Finished, Stop::Length, Stop::Interrupted] {
                    std::hint::black_box(scanner.decide(stop));
                }
                std::hint::black_box((scanner.verdict(), scanner.span(), scanner.error()));
            }
        });
        assert_eq!(count, 0, "{text:.40}");
    }
}

/// The best of a few, since another process may have the core.
fn fastest(work: impl Fn()) -> Duration {
    let once = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..5).map(|_| once()).min().expect("five runs")
}

#[test]
fn guarantee_4_work_is_in_proportion_to_the_bytes() {
    let units = [
        ("{\"a\":\"", "x"),
        ("{\"a\":", "1"),
        ("{\"a\":[0", ",0"),
        ("", "x "),
        ("{}", " x"),
        ("{\"a\":\"", "\\n"),
        ("\"{\\\"a\\\":\\\"", "\\\\n"),
        ("{", " "),
        ("", " "),
        ("[", "["),
    ];
    for (head, unit) in units {
        let time = |bytes: usize| {
            let text = format!("{head}{}", unit.repeat(bytes / unit.len()));
            fastest(|| {
                let mut scanner = Scanner::new(UNLIMITED);
                for byte in text.as_bytes() {
                    scanner.feed(std::slice::from_ref(byte));
                    std::hint::black_box(scanner.verdict());
                }
                std::hint::black_box(scanner.decide(Stop::Finished));
            })
        };
        // Quadratic work would cost sixty-four times the factor, whenever it is measured; eight
        // leaves room for noise, and a busy machine gets another chance.
        let mut measured = Vec::new();
        let in_proportion = (0..5).any(|_| {
            let (short, long) = (time(4_000), time(64 * 4_000));
            measured.push((short, long));
            long < short * 64 * 8
        });
        assert!(in_proportion, "{head} {unit}: {measured:?}");
    }
}
