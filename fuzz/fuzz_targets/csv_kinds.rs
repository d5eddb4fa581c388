//! Any bytes are read as a table, or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| psd_impute_fuzz::any_text(bytes));
