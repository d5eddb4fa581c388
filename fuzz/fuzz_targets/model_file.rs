//! Any bytes are read as a model file, or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|payload: &[u8]| psd_impute_fuzz::model_file(payload));
