//! Whether what an earlier schema accepts a later one accepts, too.

use serde_json::{Number, Value};

use super::walk::kinds;

/// What a resumed session may hold that the later parameters refuse: each a line with the path.
///
/// `renamed` gives the name that a name of the earlier parameters has now, if it is another; `is_alias` tells whether a
/// value of a parameter is still accepted though it is not declared.
pub(crate) fn breaks(
    earlier: &Value,
    later: &Value,
    renamed: &dyn Fn(&str) -> Option<String>,
    is_alias: &dyn Fn(&str, &Value) -> bool,
) -> Vec<String> {
    let mut comparison =
        Comparison { earlier, later, renamed, is_alias, path: Vec::new(), comparing: Vec::new(), breaks: Vec::new() };
    comparison.schemas(earlier, later);
    comparison.breaks
}

struct Comparison<'a> {
    earlier: &'a Value,
    later: &'a Value,
    renamed: &'a dyn Fn(&str) -> Option<String>,
    is_alias: &'a dyn Fn(&str, &Value) -> bool,
    path: Vec<String>,
    /// References that are being compared: a recursive type comes back to them.
    comparing: Vec<(Value, Value)>,
    breaks: Vec<String>,
}

impl<'a> Comparison<'a> {
    fn schemas(&mut self, earlier: &'a Value, later: &'a Value) {
        if earlier.get("$ref").is_some() || later.get("$ref").is_some() {
            let pair = (earlier.clone(), later.clone());
            if self.comparing.contains(&pair) {
                return;
            }
            self.comparing.push(pair);
            let (earlier, later) = (resolve(self.earlier, earlier), resolve(self.later, later));
            self.schemas(earlier, later);
            self.comparing.pop();
            return;
        }
        match (earlier["anyOf"].as_array(), later["anyOf"].as_array()) {
            (Some(branches), _) => {
                for branch in branches {
                    self.schemas(branch, later);
                }
            }
            (None, Some(branches)) => {
                if !branches.iter().any(|branch| self.attempt(earlier, branch).is_empty()) {
                    self.report("is another type now");
                }
            }
            (None, None) => self.nodes(earlier, later),
        }
    }

    fn nodes(&mut self, earlier: &'a Value, later: &'a Value) {
        let (was, is) = (kinds(earlier), kinds(later));
        let fits = |kind: &&str| is.contains(kind) || (*kind == "integer" && is.contains(&"number"));
        if !is.is_empty() && (was.is_empty() || !was.iter().all(fits)) {
            let was = if was.is_empty() { "any type".to_owned() } else { was.join(" or ") };
            return self.report(&format!("was {was} and is {} now", is.join(" or ")));
        }
        self.values(earlier, later);
        self.bounds(earlier, later);
        for (keyword, what) in [("pattern", "pattern"), ("format", "format")] {
            if let Some(value) = later.get(keyword)
                && earlier.get(keyword) != Some(value)
            {
                self.report(&format!("must be of the {what} {value} now"));
            }
        }
        if was.contains(&"object") {
            self.objects(earlier, later);
        }
        if later["items"].is_object() {
            self.at("*", |this| this.schemas(&earlier["items"], &later["items"]));
        }
    }

    fn values(&mut self, earlier: &Value, later: &Value) {
        let Some(values) = later["enum"].as_array() else { return };
        let Some(earlier) = earlier["enum"].as_array() else {
            return self.report(&format!("is one of {} now", later["enum"]));
        };
        let property = self.path.join(".");
        for value in earlier.iter().filter(|value| !values.contains(value) && !(self.is_alias)(&property, value)) {
            self.report(&format!("the value {value} is gone"));
        }
    }

    fn bounds(&mut self, earlier: &Value, later: &Value) {
        const LEAST: [&str; 5] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
        const GREATEST: [&str; 5] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
        let number = |schema: &Value, keyword| schema.get(keyword).and_then(Value::as_number).map(Number::as_f64);
        for keyword in LEAST.into_iter().chain(GREATEST) {
            let Some(Some(now)) = number(later, keyword) else { continue };
            let is_within = number(earlier, keyword)
                .flatten()
                .is_some_and(|then| if LEAST.contains(&keyword) { then >= now } else { then <= now });
            if !is_within {
                self.report(&format!("{keyword} is {} now", later[keyword]));
            }
        }
    }

    fn objects(&mut self, earlier: &'a Value, later: &'a Value) {
        let none = &Value::Null;
        let fields = |schema: &'a Value| schema["properties"].as_object().into_iter().flatten();
        let required =
            |schema: &'a Value| schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        // Only the parameters themselves are renamed.
        let name_now = |this: &Self, name: &str| {
            let renamed = if this.path.is_empty() { (this.renamed)(name) } else { None };
            renamed.unwrap_or_else(|| name.to_owned())
        };
        for (name, field) in fields(earlier) {
            let now = name_now(self, name);
            match later["properties"].get(&now) {
                Some(later) => self.at(&now, |this| this.schemas(field, later)),
                None => self.at(name, |this| this.report("is gone, and nothing has its name as an alias")),
            }
        }
        let were_required: Vec<String> = required(earlier).map(|name| name_now(self, name)).collect();
        for name in required(later).filter(|name| !were_required.iter().any(|other| other == name)) {
            self.at(name, |this| this.report("is required now"));
        }
        let others = |schema: &'a Value| schema.get("additionalProperties").unwrap_or(none);
        match (others(earlier), others(later)) {
            (Value::Null | Value::Bool(false), _) => {}
            (_, Value::Bool(false)) => self.report("takes no other keys now"),
            (earlier, later @ Value::Object(_)) => self.at("*", |this| this.schemas(earlier, later)),
            _ => {}
        }
    }

    /// The breaks of one way to read the later schema.
    fn attempt(&self, earlier: &'a Value, later: &'a Value) -> Vec<String> {
        let mut attempt =
            Comparison { path: self.path.clone(), comparing: self.comparing.clone(), breaks: Vec::new(), ..*self };
        attempt.schemas(earlier, later);
        attempt.breaks
    }

    fn at(&mut self, segment: &str, step: impl FnOnce(&mut Self)) {
        self.path.push(segment.to_owned());
        step(self);
        self.path.pop();
    }

    fn report(&mut self, problem: &str) {
        let place = if self.path.is_empty() { "the arguments".to_owned() } else { self.path.join(".") };
        let line = format!("{place}: {problem}");
        if !self.breaks.contains(&line) {
            self.breaks.push(line);
        }
    }
}

fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let target = schema["$ref"].as_str().and_then(|reference| root.pointer(reference.strip_prefix('#')?));
    target.unwrap_or(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(earlier: &Value, later: &Value, expected: &[&str]) {
        let properties = |schema: &Value| json!({ "type": "object", "properties": { "a": schema } });
        let renamed = |name: &str| (name == "old").then(|| "new".to_owned());
        let is_alias = |property: &str, value: &Value| property == "a" && value == "alias";
        let breaks = breaks(&properties(earlier), &properties(later), &renamed, &is_alias);
        assert_eq!(breaks, expected, "{earlier} and {later}");
    }

    #[test]
    fn what_allows_less_breaks() {
        let text = json!({ "type": "string" });
        let choice = json!({ "type": "string", "enum": ["x", "y"] });
        let number = json!({ "type": "number" });
        let list = |items: &Value| json!({ "type": "array", "items": items });
        let union = |branches: &[&Value]| json!({ "anyOf": branches });
        check(&text, &text, &[]);
        check(&text, &choice, &["a: is one of [\"x\",\"y\"] now"]);
        check(&choice, &text, &[]);
        check(&json!({ "type": "string", "enum": ["x", "z", "alias"] }), &choice, &["a: the value \"z\" is gone"]);
        check(&text, &number, &["a: was string and is number now"]);
        check(&json!({ "type": "integer" }), &number, &[]);
        check(&number, &json!({ "type": "integer" }), &["a: was number and is integer now"]);
        check(&json!({}), &text, &["a: was any type and is string now"]);
        check(&text, &json!({}), &[]);
        check(&list(&choice), &list(&text), &[]);
        check(&list(&text), &list(&number), &["a.*: was string and is number now"]);
        check(&text, &union(&[&number, &text]), &[]);
        check(&text, &union(&[&number, &choice]), &["a: is another type now"]);
        check(&union(&[&number, &text]), &text, &["a: was number and is string now"]);
        check(&union(&[&number, &text]), &union(&[&text, &number]), &[]);
        check(&text, &json!({ "type": "string", "pattern": "x" }), &["a: must be of the pattern \"x\" now"]);
        check(&text, &json!({ "type": "string", "format": "date" }), &["a: must be of the format \"date\" now"]);
    }

    #[test]
    fn narrower_bounds_break() {
        let bounded = |least: i32, most: i32| json!({ "type": "integer", "minimum": least, "maximum": most });
        check(&bounded(1, 5), &bounded(0, 6), &[]);
        check(&bounded(1, 5), &bounded(2, 4), &["a: minimum is 2 now", "a: maximum is 4 now"]);
        check(&json!({ "type": "integer" }), &bounded(0, 1), &["a: minimum is 0 now", "a: maximum is 1 now"]);
    }

    #[test]
    fn fields_that_go_or_come_break() {
        let object = |fields: &[&str], required: &[&str]| {
            let properties: serde_json::Map<_, _> =
                fields.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
            json!({ "type": "object", "properties": properties, "required": required })
        };
        check(&object(&["b"], &[]), &object(&["b", "c"], &[]), &[]);
        check(&object(&["b"], &[]), &object(&["b", "c"], &["c"]), &["a.c: is required now"]);
        check(&object(&["b"], &["b"]), &object(&[], &[]), &["a.b: is gone, and nothing has its name as an alias"]);
        let closed = json!({ "type": "object", "additionalProperties": false });
        check(&json!({ "type": "object", "additionalProperties": true }), &closed, &["a: takes no other keys now"]);

        let renamed = |name: &str| (name == "old").then(|| "new".to_owned());
        let with = |name: &str| json!({ "type": "object", "properties": { name: {} }, "required": [name] });
        assert_eq!(breaks(&with("old"), &with("new"), &renamed, &|_, _| false), [""; 0]);
    }

    #[test]
    fn a_type_that_contains_itself_ends() {
        let tree = |kind: &str| {
            json!({
                "type": "object",
                "properties": { "root": { "$ref": "#/$defs/Tree" } },
                "$defs": { "Tree": { "type": "object", "properties": {
                    "name": { "type": kind },
                    "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
                } } },
            })
        };
        let compare = |later: &Value| breaks(&tree("string"), later, &|_| None, &|_, _| false);
        assert_eq!(compare(&tree("string")), [""; 0]);
        assert_eq!(compare(&tree("integer")), ["root.name: was string and is integer now"]);
    }
}
