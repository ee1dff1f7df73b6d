// An argument goes to the thread of a function that blocks.
use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};
use std::marker::PhantomData;

#[derive(Deserialize, JsonSchema)]
struct Point(#[serde(skip)] PhantomData<*const u8>, u32);

/// Draw a point.
#[pi_tool]
fn draw(
    /// Where.
    point: Point,
) -> String {
    point.1.to_string()
}

fn main() {}
