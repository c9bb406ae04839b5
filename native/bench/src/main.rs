//! The scanner beside other Rust readers of JSON, on the same texts and with the same target flags.
//!
//! ```text
//! argspan-bench [--texts DIR] [--rounds N] [--micros N] [--json]
//! argspan-bench once READER TEXT TIMES [--texts DIR]
//! ```
//!
//! The first prints a table: medians of interleaved rounds, and what each reader lets pass that
//! argspan's rule refuses. A folder of texts holds a folder for each shape, which holds a file for
//! each text; without one, texts are made from a seed. The second reads one shape so many times and
//! measures nothing: it is what an instruction counter is run on.

mod lenience;
mod readers;
mod report;
mod texts;
mod timing;

use readers::{Reader, readers};
use texts::Shape;
use timing::Effort;

struct Options {
    texts: Option<String>,
    effort: Effort,
    json: bool,
    rest: Vec<String>,
}

fn options() -> Options {
    let mut options = Options {
        texts: None,
        effort: Effort {
            rounds: 201,
            micros: 300,
        },
        json: false,
        rest: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .unwrap_or_else(|| panic!("{argument} needs a value"))
        };
        match argument.as_str() {
            "--texts" => options.texts = Some(value()),
            "--rounds" => options.effort.rounds = value().parse().expect("a number of rounds"),
            "--micros" => {
                options.effort.micros = value().parse().expect("a number of microseconds")
            }
            "--json" => options.json = true,
            _ => options.rest.push(argument),
        }
    }
    options
}

fn find<'a>(readers: &'a mut [Box<dyn Reader>], name: &str) -> &'a mut Box<dyn Reader> {
    readers
        .iter_mut()
        .find(|reader| reader.name() == name)
        .unwrap_or_else(|| panic!("no reader is called {name}"))
}

/// Every reader must accept every text, and refuse it where its last byte is missing.
fn prove(readers: &mut [Box<dyn Reader>], shapes: &[Shape]) {
    for shape in shapes {
        for text in &shape.texts {
            for reader in &mut *readers {
                let (name, shape) = (reader.name(), &shape.name);
                assert!(reader.read(text), "{name} refuses a text of {shape}");
                let cut = &text[..text.len() - 1];
                assert!(!reader.read(cut), "{name} accepts a cut text of {shape}");
            }
        }
    }
}

fn main() {
    let options = options();
    let shapes = match &options.texts {
        Some(directory) => texts::load(directory),
        None => texts::make(),
    };
    let mut readers = readers();
    if let [word, reader, shape, times] = options.rest.as_slice()
        && word == "once"
    {
        let times = times.parse().expect("how many times");
        let shape = shapes
            .iter()
            .find(|each| &each.name == shape)
            .unwrap_or_else(|| panic!("no text is called {shape}"));
        timing::repeat(find(&mut readers, reader).as_mut(), &shape.texts, times);
        return;
    }
    assert!(options.rest.is_empty(), "unknown: {:?}", options.rest);

    prove(&mut readers, &shapes);
    let lenience = lenience::of(&mut readers);
    let rows: Vec<_> = shapes
        .iter()
        .map(|shape| timing::race(&mut readers, shape, &options.effort))
        .collect();
    if options.json {
        println!("{}", report::json(&rows, &lenience));
    } else {
        print!("{}", report::table(&rows, &lenience));
    }
}
