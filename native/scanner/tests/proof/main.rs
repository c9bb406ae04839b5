//! What the scanner promises, tested from outside against serde_json.
//!
//! [`reference`] is the decision rule once more, written slowly on serde_json; [`drive`] feeds a
//! scanner in every way that matters and compares all it says with that. The other modules bring
//! texts: from files, from generators, and where a limit or a vector width makes one interesting.
//! Names of tests carry the number of the guarantee that they hold, as the README counts them.
//!
//! It is one binary, so that the checks are compiled and linked once.

mod drive;
mod find_reference;
mod findings_reference;
mod fixtures;
mod generate;
mod reference;
mod repairs_reference;

mod cases;
mod corpora;
mod exactness;
mod find;
mod findings;
mod limits;
mod memory;
mod numbers;
mod positions;
mod properties;
mod recordings;
mod regressions;
mod repairs;
mod state;
mod stops;
mod surrogates;
mod utf8;
mod whole;
