//! The rules: one function each. They read the model, report, and change nothing.

mod arguments;
mod signature;
pub(crate) mod templates;
mod tool;

use crate::errors::Errors;
use crate::model::ToolModel;

const RULES: &[fn(&ToolModel<'_>, &mut Errors)] = &[
    signature::free_function,
    signature::one_attribute,
    signature::body,
    signature::references,
    signature::states,
    signature::conditions,
    tool::name,
    tool::descriptions,
    tool::texts,
    tool::snippet,
    tool::guidelines,
    tool::state_is_sequential,
    tool::annotations,
    tool::limits,
    templates::confirm,
    templates::render_call,
    templates::render_result,
    templates::render_lines,
    tool::overrides,
    tool::reachable,
    arguments::names,
    arguments::types,
    arguments::flattened,
    arguments::defaults,
    arguments::forwarded,
    arguments::attributes_of_references,
];

pub(crate) fn check(model: &ToolModel<'_>, errors: &mut Errors) {
    for rule in RULES {
        rule(model, errors);
    }
}

/// JavaScript's object property names: Pi looks tools and states up in plain objects, and fails on one of these.
pub(crate) const JAVASCRIPT: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// Names as a sentence lists them.
fn listed<T: std::fmt::Display>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Whether a name begins with a letter or `_`, and goes on with these, digits and `others`.
fn is_name(name: &str, others: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || others.contains(letter))
        && name.len() <= 64
}
