// A timeout is a whole number above zero and a unit.
use pi_tools::prelude::*;

/// Wait for someone.
#[pi_tool(timeout = "soon")]
async fn word() {}

/// Wait without a unit.
#[pi_tool(timeout = "5")]
async fn no_unit() {}

/// Wait for nothing.
#[pi_tool(timeout = "0s")]
async fn zero() {}

/// Wait half a second.
#[pi_tool(timeout = "0.5s")]
async fn fraction() {}

/// Wait for ever.
#[pi_tool(timeout = "99999999999999999h")]
async fn too_long() {}

fn main() {}
