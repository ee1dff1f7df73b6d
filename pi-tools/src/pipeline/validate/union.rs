//! Which branch of a union is to blame for a value that none accepts.

use serde_json::{Map, Value};

use super::{Problem, Segment, Validator, list};
use crate::pipeline::javascript::{entries, same};
use crate::schema::Members;

impl<'a> Validator<'a> {
    /// One branch is blamed: that of the tag, else the one that declares most of the value's keys, else the one whose
    /// first problem is deepest.
    pub(super) fn union(&mut self, value: &'a Value, branches: &'a [Value], at_most: usize) {
        let matching = branches.iter().filter(|branch| self.accepts(value, branch)).take(2).count();
        if matching > at_most {
            return self.report("matches more than one alternative");
        }
        if matching > 0 {
            return;
        }
        if self.is_quick {
            return self.report("matches no alternative");
        }
        if let (Some((tag, values)), Value::Object(map)) = (self.tag(branches), value) {
            let chosen = values.iter().position(|tag_value| map.member(tag).is_some_and(|own| same(own, tag_value)));
            return match chosen {
                Some(index) => self.node(value, &branches[index]),
                None => self.at(Segment::Name(tag), |this| {
                    this.report(format_args!("expected one of {}", list(&values)));
                }),
            };
        }
        let mut blamed: Option<(usize, usize, Vec<Problem>)> = None;
        for branch in branches {
            let before = std::mem::take(&mut self.problems);
            self.node(value, branch);
            let problems = std::mem::replace(&mut self.problems, before);
            let Some(first) = problems.first() else { continue };
            let (declared, depth) = (self.declared(value, branch), first.depth);
            if blamed.as_ref().is_none_or(|(most, deepest, _)| (declared, depth) > (*most, *deepest)) {
                blamed = Some((declared, depth, problems));
            }
        }
        match blamed {
            Some((.., problems)) => self.problems.extend(problems),
            None => self.report("matches no alternative"),
        }
    }

    fn target(&self, branch: &'a Value) -> &'a Value {
        let reference = branch.part("$ref").as_str();
        reference.and_then(|reference| self.check.resolve(reference)).unwrap_or(branch)
    }

    /// The key that is another constant in each branch, and these constants.
    fn tag(&self, branches: &'a [Value]) -> Option<(&'a str, Vec<Value>)> {
        let targets: Vec<&Value> = branches.iter().map(|branch| self.target(branch)).collect();
        let (first, _) = targets.split_first()?;
        entries(first.part("properties").as_object()?).into_iter().find_map(|(name, _)| {
            let constants = targets.iter().map(|target| constant(&target.part("properties")[name]));
            let constants: Vec<Value> = constants.collect::<Option<_>>()?;
            let is_distinct =
                constants.iter().enumerate().all(|(index, constant)| !constants[..index].contains(constant));
            is_distinct.then_some((name.as_str(), constants))
        })
    }

    /// How many of the keys of a value a branch declares.
    fn declared(&self, value: &Value, branch: &'a Value) -> usize {
        let properties = self.target(branch)["properties"].as_object();
        let keys = value.as_object().into_iter().flat_map(Map::keys);
        keys.filter(|name| properties.is_some_and(|properties| properties.member(name).is_some())).count()
    }
}

/// The one value that a tag may have.
fn constant(schema: &Value) -> Option<Value> {
    schema.member("const").filter(|constant| !constant.is_array() && !constant.is_object()).cloned()
}
