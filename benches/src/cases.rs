//! What is measured, and what it must reach.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Mutex;

use pi_tools::Toolbox;
use pi_tools::schema::Dialect;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::sample::Run;
use crate::{hand, tools};

/// One row of the tables.
#[expect(missing_debug_implementations, reason = "it holds closures")]
pub struct Case {
    /// What both do.
    pub name: &'static str,
    /// The greatest time that is good.
    pub time: Option<Limit>,
    /// The greatest number of allocations that is good.
    pub allocations: Option<usize>,
    /// How many calls one run makes.
    pub calls: u32,
    /// With this library.
    pub ours: Run,
    /// By hand.
    pub hand: Run,
}

/// A target for time.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// A ratio to what is written by hand.
    Ratio(f64),
    /// Nanoseconds.
    Nanoseconds(f64),
}

impl Case {
    fn new(name: &'static str, ours: Run, hand: Run) -> Self {
        Self { name, time: None, allocations: None, calls: 1, ours, hand }
    }

    fn at_most(self, ratio: f64) -> Self {
        Self { time: Some(Limit::Ratio(ratio)), ..self }
    }

    fn allocating(self, allocations: usize) -> Self {
        Self { allocations: Some(allocations), ..self }
    }
}

/// All rows.
///
/// # Panics
///
/// When a toolbox or a runtime cannot be built, or a call does not end as it must.
#[must_use]
pub fn all() -> Vec<Case> {
    let toolbox: &'static Toolbox = Box::leak(Box::new(Toolbox::collect().unwrap()));
    assert_eq!(toolbox.tools().len(), 100);
    let more: &'static Toolbox = Box::leak(Box::new(tools::more()));
    let mut cases = vec![
        call(toolbox, "two integers", "add", TWO, true).at_most(1.35).allocating(2),
        call(toolbox, "to-do", "todo", TODO, true).at_most(1.2).allocating(4),
        call(toolbox, "20 fields, 1.6 KB", "deploy", plan().leak(), true).at_most(1.05).allocating(60),
        call(toolbox, "a text of 1 MB", "write", megabyte().leak(), true).at_most(1.0),
        call(toolbox, "bad arguments", "add", r#"{"a":2,"b":"three"}"#, false),
        concurrent("64 calls on one thread", toolbox, current_thread).at_most(1.0),
        concurrent("64 calls on two threads", toolbox, two_threads).at_most(1.0),
    ];
    cases.extend(lists(toolbox));
    cases.extend(building());
    cases.extend(thousand());
    cases.push(owned(toolbox));
    let text = r#"{"text":"tea","limit":10}"#;
    cases.push(Case::new("constraints", ours(more, "limited", text), by_hand(text, hand::limited)));
    let text = r#"{"query":"tea"}"#;
    cases.push(Case::new("`prepare`", ours(more, "prepared", text), by_hand(text, hand::prepared)));
    let (text, total) = (r#"{"by":1}"#, Mutex::default());
    let count = by_hand(text, move |arguments| hand::count(arguments, &total));
    cases.push(Case::new("session state", ours(more, "count", text), count));
    cases
}

const TWO: &str = r#"{"a":2,"b":40}"#;
const TODO: &str = r#"{"action":"add","text":"buy tea","due":"Friday"}"#;

fn megabyte() -> String {
    let line = "A line of a file that is to be written, with a \"quotation\".\n";
    json!({ "text": line.repeat((1 << 20) / line.len()) }).to_string()
}

fn plan() -> String {
    let person = |name: &str| json!({"name": name, "mail": format!("{name}@example.org")});
    let variable = |number: usize| {
        let value = "a value of some length, as they are";
        json!({"name": format!("SERVICE_VARIABLE_{number}"), "value": value})
    };
    let plan = json!({
        "service": "checkout",
        "version": "4.11.2",
        "region": "eu-central-1",
        "strategy": "rolling",
        "replicas": 12,
        "timeout_seconds": 600,
        "dry_run": false,
        "canary": true,
        "weight": 0.25,
        "owner": person("ada"),
        "reviewers": [person("grace"), person("barbara"), person("edsger")],
        "image": {
            "registry": "registry.example.org/shop",
            "name": "checkout",
            "digest": "sha256:8d3f7e0a6c1b5f2e9a4c7d1b3e5f8a0c2d4e6f8091a3b5c7d9e1f20314253647",
        },
        "probe": {"path": "/health/ready", "port": 8080, "period_seconds": 10},
        "environment": (0..8).map(variable).collect::<Vec<_>>(),
        "tags": ["payment", "critical", "pci", "team-shop", "tier-1", "weekly", "blue", "eu"],
        "ports": [8080, 8443, 9090],
        "note": "Watch the error rate of the payment provider for the first half hour.",
        "ticket": "SHOP-4711",
        "previous": "4.11.1",
        "priority": -3,
    });
    json!({ "plan": plan }).to_string()
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn two_threads() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn ours(toolbox: &'static Toolbox, tool: &'static str, arguments: &'static str) -> Run {
    let runtime = current_thread();
    Box::new(move |times| {
        runtime.block_on(async {
            for _ in 0..times {
                black_box(toolbox.call(black_box(tool), black_box(arguments)).await);
            }
        });
    })
}

fn by_hand<T: 'static>(arguments: &'static str, call: impl Fn(&str) -> T + 'static) -> Run {
    Box::new(move |times| {
        for _ in 0..times {
            black_box(call(black_box(arguments)));
        }
    })
}

/// Arguments that the call has to itself.
fn owned(toolbox: &'static Toolbox) -> Case {
    let (ours_in, hand_in) = (current_thread(), current_thread());
    let ours = Box::new(move |times| {
        ours_in.block_on(async {
            for _ in 0..times {
                black_box(toolbox.call(black_box("add"), black_box(TWO.to_owned())).await);
            }
        });
    });
    let hand = Box::new(move |times| {
        hand_in.block_on(async {
            for _ in 0..times {
                let arguments = black_box(TWO.to_owned());
                _ = black_box(hand::call(black_box("add"), &arguments).await);
            }
        });
    });
    Case::new("two integers in a `String`", ours, hand)
}

/// One call of one of the hundred tools. Both read the same text: where a large one lies makes a difference.
fn call(
    toolbox: &'static Toolbox,
    name: &'static str,
    tool: &'static str,
    arguments: &'static str,
    is_good: bool,
) -> Case {
    let runtime = current_thread();
    let output = runtime.block_on(toolbox.call(tool, arguments));
    let text = runtime.block_on(hand::call(tool, arguments));
    assert_eq!(!output.is_error(), is_good, "{}", output.to_text());
    assert_eq!(text.is_ok(), is_good, "{text:?}");
    if is_good {
        assert_eq!(Ok(output.to_text()), text);
    }
    let ours = ours(toolbox, tool, arguments);
    let hand = Box::new(move |times| {
        runtime.block_on(async {
            for _ in 0..times {
                _ = black_box(hand::call(black_box(tool), black_box(arguments)).await);
            }
        });
    });
    Case::new(name, ours, hand)
}

/// Many small calls at once, a task each.
fn concurrent(name: &'static str, toolbox: &'static Toolbox, runtime: fn() -> Runtime) -> Case {
    async fn all(task: impl Fn() -> tokio::task::JoinHandle<()>) {
        let tasks: [_; 64] = std::array::from_fn(|_| task());
        for task in tasks {
            task.await.unwrap();
        }
    }
    fn run<F: Future<Output = ()>>(runtime: Runtime, all: impl Fn() -> F + 'static) -> Run {
        Box::new(move |times| {
            runtime.block_on(async {
                for _ in 0..times {
                    all().await;
                }
            });
        })
    }
    let ours = move || {
        all(move || {
            tokio::spawn(async move {
                black_box(toolbox.call(black_box("add"), black_box(TWO)).await);
            })
        })
    };
    let hand = || {
        all(|| {
            tokio::spawn(async {
                _ = black_box(hand::call(black_box("add"), black_box(TWO)).await);
            })
        })
    };
    Case { calls: 64, ..Case::new(name, run(runtime(), ours), run(runtime(), hand)) }
}

/// The list of a hundred tools, which is there already, as a copy for a request.
fn lists(toolbox: &'static Toolbox) -> [Case; 2] {
    let list = |name, dialect| {
        let text: &'static str = toolbox.declarations(dialect).unwrap().json();
        let ours = Box::new(move |times| {
            for _ in 0..times {
                black_box(toolbox.declarations(black_box(dialect)).unwrap().json().to_owned());
            }
        });
        let hand = Box::new(move |times| {
            for _ in 0..times {
                black_box(black_box(text).to_owned());
            }
        });
        Case::new(name, ours, hand).at_most(1.3)
    };
    [list("100 tools listed again", Dialect::Portable), list("the same, strict", Dialect::OpenAiStrict)]
}

/// Toolboxes that nobody has asked for a schema. By hand: a map of the names.
fn building() -> [Case; 2] {
    let map = |number| -> Run {
        let specs = tools::specs(number);
        Box::new(move |times| {
            for _ in 0..times {
                let map: HashMap<&str, usize> = specs.iter().map(|spec| spec.name).zip(0..).collect();
                black_box(map);
            }
        })
    };
    let collect = Box::new(|times| {
        for _ in 0..times {
            black_box(Toolbox::collect().unwrap());
        }
    });
    let specs = tools::specs(1000);
    let build = Box::new(move |times| {
        for _ in 0..times {
            black_box(tools::numbered(&specs));
        }
    });
    let collect = Case::new("100 tools collected", collect, map(100));
    let collect = Case { time: Some(Limit::Nanoseconds(100_000.0)), ..collect };
    [collect, Case::new("1,000 tools built", build, map(1000))]
}

/// Any of a thousand tools. By hand: a `match` of a thousand arms.
fn thousand() -> [Case; 2] {
    let specs = tools::specs(1000);
    let toolbox: &'static Toolbox = Box::leak(Box::new(tools::numbered(&specs)));
    // The schemas, which every tool has before its second call.
    toolbox.verify().unwrap();
    // In an order that no branch predictor knows.
    let names: Vec<&'static str> = (0..1000).map(|n| specs[n * 379 % 1000].name).collect();
    let names: &'static [&'static str] = names.leak();
    let next = || {
        let mut place = 0;
        move || {
            place = (place + 1) % names.len();
            black_box(names[place])
        }
    };
    let (mut next_of_ours, mut next_by_hand) = (next(), next());
    let ours = Box::new(move |times| {
        for _ in 0..times {
            black_box(toolbox.get(next_of_ours()));
        }
    });
    let hand = Box::new(move |times| {
        for _ in 0..times {
            black_box(hand::find(next_by_hand()));
        }
    });
    let lookup = Case::new("a tool found among 1,000", ours, hand).at_most(0.5);

    let (mut next_of_ours, mut next_by_hand) = (next(), next());
    let (runtime, other) = (current_thread(), current_thread());
    let ours = Box::new(move |times| {
        runtime.block_on(async {
            for _ in 0..times {
                black_box(toolbox.call(next_of_ours(), black_box(TWO)).await);
            }
        });
    });
    let hand = Box::new(move |times| {
        other.block_on(async {
            for _ in 0..times {
                _ = black_box(hand::call_numbered(next_by_hand(), black_box(TWO)).await);
            }
        });
    });
    [lookup, Case::new("one of 1,000 called", ours, hand)]
}
