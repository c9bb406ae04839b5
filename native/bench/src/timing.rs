//! Times in interleaved rounds: whatever else the machine does in a round, all readers feel.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::readers::Reader;
use crate::texts::Shape;

/// How long to measure: so many rounds of batches of so many microseconds.
pub struct Effort {
    pub rounds: usize,
    pub micros: u64,
}

/// A reader's median, and that of the paired ratios to the first reader.
pub struct Time {
    pub reader: &'static str,
    pub nanos: f64,
    pub ratio: f64,
}

/// What was measured on one shape of text.
pub struct Row {
    pub shape: String,
    pub bytes: usize,
    pub times: Vec<Time>,
}

/// Reads the texts in turn.
pub fn repeat(reader: &mut dyn Reader, texts: &[Vec<u8>], times: usize) {
    for text in texts.iter().cycle().take(times) {
        black_box(reader.read(black_box(text)));
    }
}

fn repeat_preparation(reader: &mut dyn Reader, texts: &[Vec<u8>], times: usize) {
    for text in texts.iter().cycle().take(times) {
        reader.prepare(black_box(text));
    }
}

/// The best of a few batches is one that nobody interrupted.
const BATCHES: usize = 3;

fn sample(reader: &mut dyn Reader, texts: &[Vec<u8>], times: usize) -> f64 {
    (0..BATCHES).fold(f64::INFINITY, |best, _| {
        best.min(batch(reader, texts, times))
    })
}

/// The time of one reading, without its preparation.
fn batch(reader: &mut dyn Reader, texts: &[Vec<u8>], times: usize) -> f64 {
    let start = Instant::now();
    repeat(reader, texts, times);
    let mut taken = start.elapsed();
    if reader.prepares() {
        let start = Instant::now();
        repeat_preparation(reader, texts, times);
        taken = taken.saturating_sub(start.elapsed());
    }
    taken.as_nanos() as f64 / times as f64
}

/// How many readings take as long as a batch should. Warms up on the way.
fn calibrate(reader: &mut dyn Reader, texts: &[Vec<u8>], micros: u64) -> usize {
    let wanted = Duration::from_micros(micros);
    let mut times = texts.len();
    loop {
        let start = Instant::now();
        repeat(reader, texts, times);
        if wanted <= start.elapsed() {
            return times;
        }
        times *= 2;
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let (low, high) = ((numbers.len() - 1) / 2, numbers.len() / 2);
    f64::midpoint(numbers[low], numbers[high])
}

/// Lets all readers read one shape, by turns.
pub fn race(readers: &mut [Box<dyn Reader>], shape: &Shape, effort: &Effort) -> Row {
    let times: Vec<usize> = readers
        .iter_mut()
        .map(|reader| calibrate(reader.as_mut(), &shape.texts, effort.micros))
        .collect();
    let mut samples = vec![Vec::with_capacity(effort.rounds); readers.len()];
    for round in 0..effort.rounds {
        for turn in 0..readers.len() {
            // Nobody is always the one behind whom the system gives the processor away.
            let index = (round * round + turn) % readers.len();
            let taken = sample(readers[index].as_mut(), &shape.texts, times[index]);
            samples[index].push(taken);
        }
    }
    let first = samples[0].clone();
    let times = readers.iter().zip(samples).map(|(reader, samples)| Time {
        reader: reader.name(),
        ratio: median(samples.iter().zip(&first).map(|(a, b)| a / b).collect()),
        nanos: median(samples),
    });
    Row {
        shape: shape.name.clone(),
        bytes: shape.texts[0].len(),
        times: times.collect(),
    }
}
