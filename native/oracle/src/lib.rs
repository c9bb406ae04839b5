//! The decision rule, written on serde_json.
//!
//! It decides whether the text of a tool call's arguments is acceptable, and says what the
//! model is told where it is not. The invariant: every answer is serde_json's own, so this
//! crate holds no grammar that could be wrong. It does not check bytes, stop signals, spans
//! or limits, and it is slow: it reads a text up to three times. It is shaped for tests to
//! compare with, and nothing that ships links it.

use serde_json::{Map, Value};

/// How an accepted object was found in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// The whole text is the object.
    None,
    /// The text is blank, which stands for `{}`.
    Empty,
    /// The object stands between a Markdown fence's lines.
    Fence,
    /// The object stands in other text.
    Prose,
    /// The text is a JSON string that holds the object.
    DoubleEncoding,
}

impl Repair {
    /// The name that the JavaScript API gives it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Empty => "empty",
            Self::Fence => "fence",
            Self::Prose => "prose",
            Self::DoubleEncoding => "double-encoding",
        }
    }
}

/// What the rule says about one text.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// The tool may run.
    Accepted {
        /// The arguments.
        value: Map<String, Value>,
        /// How the object was found.
        repair: Repair,
        /// Why the text was not the object itself, where it was not.
        first_err: Option<String>,
    },
    /// The tool must not run.
    Reported {
        /// What the model is told, two lines.
        message: String,
        /// The reason in it.
        first_err: String,
    },
}

/// How many characters of a reported text its message repeats.
const ECHO_LIMIT: usize = 500;

/// Decides about `raw`, the arguments of a call to the tool `name`.
#[must_use]
pub fn judge(name: &str, raw: &str) -> Judgement {
    let text = raw.trim();
    if text.is_empty() {
        return accepted(Map::new(), Repair::Empty, None);
    }
    let first_err = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(value)) => return accepted(value, Repair::None, None),
        Ok(Value::String(inner)) => {
            let reason = "expected a JSON object, got a string".to_owned();
            if let Some(value) = object(inner.trim()) {
                return accepted(value, Repair::DoubleEncoding, Some(reason));
            }
            reason
        }
        Ok(_) => "expected a JSON object".to_owned(),
        Err(error) => error.to_string(),
    };
    if let Some((start, end)) = braces(text)
        && let Some(value) = object(&text[start..end])
    {
        let repair = wrapping(&text[..start], &text[end..]);
        return accepted(value, repair, Some(first_err));
    }
    Judgement::Reported {
        message: message(name, text, &first_err),
        first_err,
    }
}

fn accepted(value: Map<String, Value>, repair: Repair, first_err: Option<String>) -> Judgement {
    Judgement::Accepted {
        value,
        repair,
        first_err,
    }
}

/// An object, or nothing at all: every other value and every error is `None`.
fn object(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(value)) => Some(value),
        _ => None,
    }
}

/// From the first `{` up to and with the last `}`.
fn braces(text: &str) -> Option<(usize, usize)> {
    let start = text.find('{')?;
    let end = text.rfind('}')? + 1;
    (start < end).then_some((start, end))
}

/// What the text around an object is: a fence, or anything else.
fn wrapping(before: &str, after: &str) -> Repair {
    let opened = before.trim_start().strip_prefix("```").is_some_and(|info| {
        !info.contains('`') && info.trim_start_matches(|c| c != '\n').trim().is_empty()
    });
    let after = after.trim();
    if opened && (after == "```") {
        Repair::Fence
    } else {
        Repair::Prose
    }
}

fn message(name: &str, text: &str, first_err: &str) -> String {
    let echo: String = text.chars().take(ECHO_LIMIT).collect();
    let more = if text.chars().nth(ECHO_LIMIT).is_some() {
        "…"
    } else {
        ""
    };
    format!(
        "The arguments for `{name}` were not valid JSON ({first_err}). Received: {echo}{more}\n\
         Call `{name}` again with a single JSON object that matches its parameters."
    )
}

#[cfg(test)]
mod tests {
    use super::{Judgement, Repair, judge};

    fn repair_of(raw: &str) -> Option<Repair> {
        match judge("tool", raw) {
            Judgement::Accepted { repair, .. } => Some(repair),
            Judgement::Reported { .. } => None,
        }
    }

    fn reason_of(raw: &str) -> Option<String> {
        match judge("tool", raw) {
            Judgement::Accepted { .. } => None,
            Judgement::Reported { first_err, .. } => Some(first_err),
        }
    }

    #[test]
    fn repairs_name_how_the_object_was_found() {
        let rows = [
            ("", Repair::Empty),
            ("\u{3000}\n", Repair::Empty),
            (" {\"a\":1} ", Repair::None),
            ("\" {\\\"a\\\":1}\\n\"", Repair::DoubleEncoding),
            ("```json\n{\"a\":1}\n```\n", Repair::Fence),
            ("```{\"a\":1}```", Repair::Fence),
            ("``` json5 \n\n{\"a\":1}```", Repair::Fence),
            ("```json\nnote\n{\"a\":1}\n```", Repair::Prose),
            ("```json\n{\"a\":1}\n``", Repair::Prose),
            ("````json\n{\"a\":1}\n```", Repair::Prose),
            ("Here: {\"a\":1}", Repair::Prose),
            ("[{\"a\":1},{", Repair::Prose),
        ];
        for (raw, repair) in rows {
            assert_eq!(repair_of(raw), Some(repair), "{raw:?}");
        }
    }

    #[test]
    fn reasons_are_those_of_serde_json() {
        let rows = [
            ("{\"a\":", "EOF while parsing a value at line 1 column 5"),
            (" \n{\"a\" 1}", "expected `:` at line 1 column 6"),
            ("{\"a\":1e999}", "number out of range at line 1 column 10"),
            ("\"text\"", "expected a JSON object, got a string"),
            ("[1]", "expected a JSON object"),
            ("}{", "expected value at line 1 column 1"),
        ];
        for (raw, reason) in rows {
            assert_eq!(reason_of(raw).as_deref(), Some(reason), "{raw:?}");
        }
    }

    #[test]
    fn messages_repeat_five_hundred_characters() {
        let told = |raw: &str| match judge("write", raw) {
            Judgement::Reported { message, .. } => message,
            Judgement::Accepted { .. } => String::new(),
        };
        let ending = "\nCall `write` again with a single JSON object that matches its parameters.";
        let whole = "é".repeat(500);
        assert_eq!(
            told(&whole),
            format!(
                "The arguments for `write` were not valid JSON (expected value at line 1 column 1). \
                 Received: {whole}{ending}"
            )
        );
        assert!(told(&"é".repeat(501)).ends_with(&format!("{whole}…{ending}")));
    }
}
