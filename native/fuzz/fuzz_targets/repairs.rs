//! Opt-in repairs of any bytes: no truncated text is accepted, what the rule accepts is not touched,
//! more repairs never change what fewer gave, and what is given is an object to serde_json.
#![no_main]

use argspan_fuzz::repairs_reference::check_repairs;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    check_repairs(data);
});
