//! How long a call takes, beside the same by hand.
//!
//! It prints a table and never fails because of a time. `ROUNDS` in the environment is the number of rounds, an argument
//! a part of the names of the rows to measure.
#![expect(clippy::print_stdout, reason = "it prints its tables")]

use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::Instant;

use pi_tools::Toolbox;
use pi_tools::schema::Dialect;
use pi_tools_benches::cases::{self, Case, Limit};
use pi_tools_benches::hand;
use pi_tools_benches::sample::{Medians, Pair, median};

mod bundle {
    pi_tools::main!();

    pub(super) fn run() -> std::process::ExitCode {
        main()
    }
}

fn main() -> ExitCode {
    // The measured processes are this executable, too.
    match std::env::args().nth(1).as_deref() {
        Some("manifest") => return bundle::run(),
        Some("first-list") => {
            first(|| Toolbox::collect().unwrap().declarations(Dialect::Portable).unwrap().json().len());
        }
        Some("first-list-by-hand") => first(|| hand::list().len()),
        Some("list-by-hand") => println!("{}", hand::list()),
        Some("nothing") => {}
        other => measure(other.filter(|only| !only.starts_with('-')).unwrap_or_default()),
    }
    ExitCode::SUCCESS
}

/// Prints how long something takes that happens once.
fn first<T>(work: impl FnOnce() -> T) {
    let begin = Instant::now();
    black_box(work());
    println!("{}", begin.elapsed().as_nanos());
}

fn measure(only: &str) {
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(51);
    let mut rows: Vec<_> = cases::all()
        .into_iter()
        .filter(|case| case.name.contains(only))
        .map(|Case { name, time, calls, ours, hand, .. }| (name, time, f64::from(calls), Pair::new(ours, hand)))
        .collect();
    for round in 0..rounds {
        for (.., pair) in &mut rows {
            pair.round(round);
        }
    }
    println!("| median of {rounds} rounds | ours | by hand | ratio | target | |");
    println!("| --- | --: | --: | --: | --: | --- |");
    for (name, limit, calls, pair) in rows {
        let Medians { ours, hand, ratio } = pair.medians();
        print_row(name, limit, Medians { ours: ours / calls, hand: hand / calls, ratio });
    }
    if !only.is_empty() {
        return;
    }
    let rounds = rounds.min(31);
    print_row(
        "first list of 100 tools in a process",
        None,
        in_processes(rounds, "first-list", "first-list-by-hand", told),
    );
    print_row("a process that lists 100 tools", None, in_processes(rounds, "manifest", "list-by-hand", taken));
}

fn print_row(name: &str, limit: Option<Limit>, Medians { ours, hand, ratio }: Medians) {
    let (target, is_met) = match limit {
        None => (String::new(), None),
        // As exact as it is shown: targets have two digits.
        Some(Limit::Ratio(most)) => (format!("{most:.2}"), Some(ratio < most + 0.005)),
        Some(Limit::Nanoseconds(most)) => (time(most), Some(ours <= most)),
    };
    let verdict = is_met.map_or("", |is_met| if is_met { "holds" } else { "MISSED" });
    println!("| {name} | {} | {} | {ratio:.2} | {target} | {verdict} |", time(ours), time(hand));
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ..1e4 => format!("{nanoseconds:.0} ns"),
        1e4..1e7 => format!("{:.1} µs", nanoseconds / 1e3),
        _ => format!("{:.1} ms", nanoseconds / 1e6),
    }
}

/// Two commands of this executable, in turn.
fn in_processes(rounds: usize, ours: &str, hand: &str, measure: fn(&str) -> f64) -> Medians {
    let pairs: Vec<_> = (0..rounds).map(|_| (measure(ours), measure(hand))).collect();
    Medians {
        ours: median(pairs.iter().map(|(ours, _)| *ours).collect()),
        hand: median(pairs.iter().map(|(_, hand)| *hand).collect()),
        ratio: median(pairs.iter().map(|(ours, hand)| ours / hand).collect()),
    }
}

fn output(command: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap()).arg(command).output().unwrap();
    assert!(output.status.success(), "{command}");
    String::from_utf8(output.stdout).unwrap()
}

/// The time that a process prints.
fn told(command: &str) -> f64 {
    output(command).trim().parse().unwrap()
}

/// The time from the start of a process to its end, less that of one that does nothing.
fn taken(command: &str) -> f64 {
    let of = |command| {
        let begin = Instant::now();
        output(command);
        begin.elapsed().as_secs_f64() * 1e9
    };
    of(command) - of("nothing")
}
