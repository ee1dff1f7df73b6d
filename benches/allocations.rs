//! How often a call asks the allocator for memory, beside the same by hand.
#![expect(clippy::print_stdout, reason = "it prints its table")]

use std::alloc::System;

use pi_tools_benches::cases::{self, Case};
use pi_tools_benches::sample::Run;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Over so many runs, of which each is the same.
const RUNS: u32 = 64;

fn main() {
    println!("| allocations of a call | ours | by hand | target | |");
    println!("| --- | --: | --: | --: | --- |");
    for Case { name, allocations, calls, mut ours, mut hand, .. } in cases::all() {
        let (ours, hand) = (count(&mut ours, calls), count(&mut hand, calls));
        let (target, verdict) = match allocations {
            Some(most) => (most.to_string(), if ours <= most { "holds" } else { "MISSED" }),
            None => (String::new(), ""),
        };
        println!("| {name} | {ours} | {hand} | {target} | {verdict} |");
    }
}

/// Allocations and reallocations of one call, rounded up.
fn count(run: &mut Run, calls: u32) -> usize {
    // What is made once is made before.
    run(2);
    let region = Region::new(ALLOCATOR);
    run(RUNS);
    let change = region.change();
    (change.allocations + change.reallocations).div_ceil((RUNS * calls) as usize)
}
