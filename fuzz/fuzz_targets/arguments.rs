#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pi_tools_fuzz::arguments(data));
