//! Any bytes are read as a table whose kinds are found, and come back as they were, or are refused.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/psd-impute-frame/tests/frame/any_text/property.rs"]
mod property;

fuzz_target!(|bytes: &[u8]| {
    property::check(bytes, None);
});
