//! The same tools twice: with `#[pi_tool]`, and by hand. What is measured of them, and how.

pub mod cases;
pub mod hand;
pub mod sample;
pub mod tools;
