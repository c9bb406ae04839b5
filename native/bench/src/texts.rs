//! The texts: read from a folder, or made from a seed.

use std::fs;
use std::path::{Path, PathBuf};

/// Texts of one shape. Short ones come in several, so that no branch predictor learns one by heart.
pub struct Shape {
    pub name: String,
    pub texts: Vec<Vec<u8>>,
}

fn sorted(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", directory.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    paths.sort();
    paths
}

/// Reads a folder that holds a folder for each shape.
pub fn load(directory: &str) -> Vec<Shape> {
    let shapes = sorted(Path::new(directory)).into_iter().map(|shape| Shape {
        name: shape
            .file_name()
            .expect("an entry has a name")
            .to_string_lossy()
            .into_owned(),
        texts: sorted(&shape)
            .iter()
            .map(|file| fs::read(file).expect("a text"))
            .collect(),
    });
    shapes.collect()
}

/// Numbers that are the same on every machine (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}

const NAMES: [&str; 8] = [
    "buffer", "offset", "entry", "parser", "fragment", "options", "session", "queue",
];

/// Adds pieces until the text is as long as it should be.
fn grow(mut text: String, bytes: usize, mut piece: impl FnMut() -> String) -> String {
    while text.len() < bytes {
        text += &piece();
    }
    text
}

fn code(random: &mut Random, bytes: usize, remarks: &[&str]) -> String {
    let text = grow(r#"{"path":"src/main.ts","content":""#.into(), bytes, || {
        let (a, b) = (random.pick(&NAMES), random.pick(&NAMES));
        match random.below(4) {
            0 => format!(r"  if ({a}.length > {b}) {{\n"),
            1 => format!(r#"    throw new TypeError(\"{a} must be a {b}\");\n"#),
            2 => format!(r"  const {a} = await read({b}, {});\n", random.below(4096)),
            _ => format!(r"// {}\n", random.pick(remarks)),
        }
    });
    text + "\"}"
}

fn prose(random: &mut Random, bytes: usize) -> String {
    let text = grow(r#"{"to":"editor","body":""#.into(), bytes, || {
        format!("{} ", random.pick(&NAMES))
    });
    text + "\"}"
}

fn dense(random: &mut Random, bytes: usize) -> String {
    let text = grow(r#"{"rows":["#.into(), bytes, || {
        let (id, tag) = (random.below(99_999), random.pick(&NAMES));
        format!(
            r#"{{"id":{id},"x":{}.5,"ok":true,"tag":"{tag}"}},"#,
            random.below(99)
        )
    });
    text + "null]}"
}

fn small(random: &mut Random) -> String {
    let (path, line) = (random.pick(&NAMES), random.below(999));
    format!(r#"{{"path":"src/{path}.ts","line":{line}}}"#)
}

/// Makes texts like those that the whole benchmark uses.
pub fn make() -> Vec<Shape> {
    let random = &mut Random(0x5eed);
    let shape = |name: &str, texts: Vec<String>| Shape {
        name: name.into(),
        texts: texts.into_iter().map(String::into_bytes).collect(),
    };
    vec![
        shape("small", (0..16).map(|_| small(random)).collect()),
        shape(
            "code",
            vec![code(
                random,
                20_480,
                &["größer, darum zuerst", "a → b ✓", "字节"],
            )],
        ),
        shape(
            "ascii",
            vec![code(random, 20_480, &["larger, so first", "a, then b"])],
        ),
        shape("prose", vec![prose(random, 20_480)]),
        shape("dense", vec![dense(random, 141_312)]),
    ]
}
