//! What differs between the portable form and a dialect, and what does not work everywhere.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::Dialect;
use super::normal::Object;
use super::walk::escape;
use super::warning::Warning;

/// What the description says in place of a keyword, by the pointer of its schema and its name.
pub(super) type Notes = BTreeMap<(String, String), String>;

/// What a schema does not say in a dialect, or does not say everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Every keyword that the dialect says in another way than the portable form, in the order of that form.
    pub losses: Vec<Loss>,
    /// What is the same in every dialect, and does not work everywhere.
    pub warnings: Vec<Warning>,
}

/// One keyword that a dialect does not say as the portable form does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The schema that has the keyword, as a JSON pointer into the portable form.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// What became of it.
    pub change: Change,
    /// Why.
    pub why: &'static str,
    /// What the description says in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether a call is held to the keyword all the same. What is only told, like a default, is nothing to hold it to.
    #[serde(rename = "enforced")]
    pub is_enforced: bool,
}

/// What a dialect does to a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is not there.
    Removed,
    /// It has another value.
    Changed,
    /// It is there, and not in the portable form.
    Added,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "/" } else { &self.pointer };
        let change = match self.change {
            Change::Removed => "left out",
            Change::Changed => "changed",
            Change::Added => "added",
        };
        write!(f, "{place}: `{}` is {change}, because {}", self.keyword, self.why)?;
        if let Some(note) = &self.note {
            write!(f, "; the description says `{note}`")?;
        }
        if self.is_enforced { f.write_str("; calls are held to it") } else { Ok(()) }
    }
}

/// Every difference, in the order of the portable form.
pub(super) fn losses(portable: &Value, dialect: Dialect, other: &Value, notes: Notes) -> Vec<Loss> {
    let mut comparison = Comparison { dialect, notes, losses: Vec::new() };
    comparison.schemas(portable, other, "");
    comparison.losses
}

struct Comparison {
    dialect: Dialect,
    notes: Notes,
    losses: Vec<Loss>,
}

impl Comparison {
    fn schemas(&mut self, portable: &Value, other: &Value, pointer: &str) {
        let (Value::Object(own), Value::Object(other)) = (portable, other) else { return };
        match (own.get("anyOf"), other.get("anyOf")) {
            (Some(Value::Array(own_branches)), Some(Value::Array(branches)))
                if own_branches.len() == branches.len() =>
            {
                self.branches(own_branches, branches, pointer);
            }
            // Without its null, a union may be one schema.
            (Some(Value::Array(own_branches)), branches) => {
                self.lose(pointer, "anyOf", if branches.is_some() { Change::Changed } else { Change::Removed });
                let whole = [Value::from(other.clone())];
                let branches = branches.and_then(Value::as_array).map_or(&whole[..], Vec::as_slice);
                let own_branches: Vec<Value> = own_branches.iter().filter(|branch| !is_null(branch)).cloned().collect();
                self.branches(&own_branches, branches, pointer);
                return;
            }
            // An optional value is a union with null.
            (None, Some(Value::Array(branches))) => {
                self.lose(pointer, "anyOf", Change::Added);
                let mut values = branches.iter().filter(|branch| !is_null(branch));
                if let (Some(Value::Object(value)), None) = (values.next(), values.next()) {
                    let mut value = value.clone();
                    if let Some(description) = other.get("description") {
                        value.insert("description".into(), description.clone());
                    }
                    self.keywords(own, &value, pointer);
                    return;
                }
            }
            _ => {}
        }
        self.keywords(own, other, pointer);
    }

    fn branches(&mut self, own: &[Value], others: &[Value], pointer: &str) {
        for (index, (own, other)) in own.iter().zip(others).enumerate() {
            self.schemas(own, other, &format!("{pointer}/anyOf/{index}"));
        }
    }

    fn keywords(&mut self, own: &Object, other: &Object, pointer: &str) {
        let added = other.keys().filter(|keyword| !own.contains_key(*keyword));
        for keyword in own.keys().chain(added) {
            let at = format!("{pointer}/{keyword}");
            match (keyword.as_str(), own.get(keyword), other.get(keyword)) {
                ("anyOf", ..) => {}
                // A note that is appended is told where its keyword is.
                ("description", own, Some(other)) if contains(other, own) => {}
                ("properties" | "$defs", Some(Value::Object(own)), Some(Value::Object(others))) => {
                    for (name, schema) in own {
                        self.schemas(schema, &others[name], &format!("{at}/{}", escape(name)));
                    }
                }
                ("items" | "additionalProperties", Some(own @ Value::Object(_)), Some(others @ Value::Object(_))) => {
                    self.schemas(own, others, &at);
                }
                ("items" | "additionalProperties", Some(own @ Value::Object(_)), None) => {
                    self.lose(pointer, keyword, Change::Removed);
                    self.schemas(own, &Object::new().into(), &at);
                }
                (_, own, other) if own == other => {}
                (keyword, None, _) => self.lose(pointer, keyword, Change::Added),
                (keyword, _, None) => self.lose(pointer, keyword, Change::Removed),
                (keyword, ..) => self.lose(pointer, keyword, Change::Changed),
            }
        }
    }

    fn lose(&mut self, pointer: &str, keyword: &str, change: Change) {
        let note = self.notes.remove(&(pointer.to_owned(), keyword.to_owned()));
        self.losses.push(Loss {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
            change,
            why: self.dialect.why(pointer, keyword, change),
            note,
            is_enforced: change != Change::Added && !matches!(keyword, "default" | "description"),
        });
    }
}

fn is_null(branch: &Value) -> bool {
    branch["type"] == "null"
}

fn contains(description: &Value, own: Option<&Value>) -> bool {
    // Notes stand in parentheses at the end.
    let own = own.and_then(Value::as_str).unwrap_or_default().trim_end_matches(')');
    description.as_str().is_some_and(|description| description.contains(own))
}
