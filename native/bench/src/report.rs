//! The results, for people and for the benchmark on the side of Node.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::lenience::Lenience;
use crate::timing::Row;

/// The instructions that this was compiled for.
fn target() -> &'static str {
    if cfg!(target_feature = "avx512f") {
        "AVX-512"
    } else if cfg!(target_feature = "avx2") {
        "AVX2"
    } else if cfg!(target_feature = "sse2") {
        "SSE2"
    } else {
        "the architecture's baseline"
    }
}

/// One line a shape: nanoseconds, and how many times argspan's time that is.
pub fn table(rows: &[Row], lenience: &[Lenience]) -> String {
    let mut text = format!("compiled for {}\n\n{:<12}{:>9}", target(), "text", "bytes");
    for reader in lenience {
        let _ = write!(text, "{:>22}", reader.reader);
    }
    text.push('\n');
    for row in rows {
        let _ = write!(text, "{:<12}{:>9}", row.shape, row.bytes);
        for time in &row.times {
            let _ = write!(text, "{:>13.0} ns {:>5.2}", time.nanos, time.ratio);
        }
        text.push('\n');
    }
    text.push('\n');
    for Lenience { reader, accepts } in lenience.iter().filter(|each| !each.accepts.is_empty()) {
        let _ = writeln!(text, "{reader} accepts {}", accepts.join(", "));
    }
    text
}

/// The same as JSON.
pub fn json(rows: &[Row], lenience: &[Lenience]) -> Value {
    let row = |row: &Row| {
        let time = |time: &crate::timing::Time| json!({ "reader": time.reader, "nanos": time.nanos, "ratio": time.ratio });
        json!({
            "shape": row.shape,
            "bytes": row.bytes,
            "times": row.times.iter().map(time).collect::<Vec<_>>(),
        })
    };
    let reader = |each: &Lenience| json!({ "reader": each.reader, "accepts": each.accepts });
    json!({
        "target": target(),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
        "lenience": lenience.iter().map(reader).collect::<Vec<_>>(),
    })
}
