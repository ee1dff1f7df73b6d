//! Whether what an earlier schema accepts a later one accepts, too: schemas that calls are held to.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::walk::kinds;
use crate::string_enum::ALIASES;

/// What a resumed session may hold that the later parameters refuse: each a line with the path.
///
/// `renamed` gives the name that a name of the earlier parameters has now, if it is another.
pub(crate) fn breaks(earlier: &Value, later: &Value, renamed: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let compared = RefCell::new(HashMap::new());
    let mut comparison =
        Comparison { earlier, later, renamed, path: Vec::new(), compared: &compared, breaks: Vec::new() };
    comparison.schemas(earlier, later);
    comparison.breaks
}

/// Two schemas, by their places.
type Pair = (*const Value, *const Value);

struct Comparison<'a> {
    earlier: &'a Value,
    later: &'a Value,
    renamed: &'a dyn Fn(&str) -> Option<String>,
    path: Vec<String>,
    /// References that were compared, and whether they differ. A recursive type comes back to some that are being
    /// compared: they differ where they are told to.
    compared: &'a RefCell<HashMap<Pair, bool>>,
    breaks: Vec<String>,
}

/// Any value.
const ANY: &Value = &Value::Bool(true);

impl<'a> Comparison<'a> {
    fn schemas(&mut self, earlier: &'a Value, later: &'a Value) {
        if earlier.get("$ref").is_some() || later.get("$ref").is_some() {
            let (earlier, later) = (resolve(self.earlier, earlier), resolve(self.later, later));
            let pair = (std::ptr::from_ref(earlier), std::ptr::from_ref(later));
            let known = self.compared.borrow().get(&pair).copied();
            match known {
                Some(true) => self.report("is another type now"),
                Some(false) => {}
                None => {
                    self.compared.borrow_mut().insert(pair, false);
                    let before = self.breaks.len();
                    self.schemas(earlier, later);
                    self.compared.borrow_mut().insert(pair, self.breaks.len() > before);
                }
            }
            return;
        }
        match (earlier["anyOf"].as_array(), later["anyOf"].as_array()) {
            (Some(branches), _) => {
                for branch in branches {
                    self.schemas(branch, later);
                }
            }
            (None, Some(branches)) => {
                // Of several branches, the one that is nearest says most.
                let attempts = branches.iter().map(|branch| self.attempt(earlier, branch));
                let nearest = attempts.min_by_key(Vec::len).unwrap_or_default();
                if branches.len() > 1 && !nearest.is_empty() {
                    self.report("is another type now");
                } else {
                    self.breaks.extend(nearest);
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
        for (least, exclusive, sign) in [("minimum", "exclusiveMinimum", 1.0), ("maximum", "exclusiveMaximum", -1.0)] {
            self.bound(earlier, later, [least, exclusive], sign);
        }
        for [least, greatest] in
            [["minLength", "maxLength"], ["minItems", "maxItems"], ["minProperties", "maxProperties"]]
        {
            self.bound(earlier, later, [least, least], 1.0);
            self.bound(earlier, later, [greatest, greatest], -1.0);
        }
        for keyword in [
            "pattern",
            "format",
            "multipleOf",
            "uniqueItems",
            "const",
            "not",
            "contains",
            "propertyNames",
            "dependentRequired",
            "dependentSchemas",
            "dependencies",
            "if",
        ] {
            if let Some(value) = later.get(keyword)
                && earlier.get(keyword) != Some(value)
            {
                self.report(&format!("{keyword} is {value} now"));
            }
        }
        if was.contains(&"object") {
            self.objects(earlier, later);
        }
        if was.contains(&"array") {
            self.arrays(earlier, later);
        }
    }

    fn values(&mut self, earlier: &Value, later: &Value) {
        if !later["enum"].is_array() {
            return;
        }
        if !earlier["enum"].is_array() {
            return self.report(&format!("is one of {} now", later["enum"]));
        }
        let now = values_and_aliases(later);
        for value in values_and_aliases(earlier).into_iter().filter(|value| !now.contains(value)) {
            self.report(&format!("the value {value} is gone"));
        }
    }

    /// A bound, and the one that excludes its own value. `sign` is -1 for the greatest.
    fn bound(&mut self, earlier: &Value, later: &Value, [own, exclusive]: [&str; 2], sign: f64) {
        // The tighter of the two, and whether its own value is excluded.
        let bound = |schema: &Value| {
            let bounds = [(own, false), (exclusive, true)].map(|(keyword, is_exclusive)| {
                let bound = schema.get(keyword).and_then(Value::as_f64)?;
                Some((bound * sign, is_exclusive && own != exclusive))
            });
            bounds
                .into_iter()
                .flatten()
                .max_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal))
        };
        let Some(now) = bound(later) else { return };
        if bound(earlier).is_none_or(|then| then < now) {
            let keyword = if now.1 { exclusive } else { own };
            self.report(&format!("{keyword} is {} now", later[keyword]));
        }
    }

    fn objects(&mut self, earlier: &'a Value, later: &'a Value) {
        let required =
            |schema: &'a Value| schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        // Only the parameters themselves are renamed.
        let name_now = |this: &Self, name: &str| {
            let renamed = if this.path.is_empty() { (this.renamed)(name) } else { None };
            renamed.unwrap_or_else(|| name.to_owned())
        };
        let (was, is) = (fields(earlier), fields(later));
        for (name, field) in was {
            let now = name_now(self, name);
            match is.get(&now) {
                Some(later) => self.at(&now, |this| this.schemas(field, later)),
                None => self.at(name, |this| this.report("is gone, and nothing has its name as an alias")),
            }
        }
        let were_required: Vec<String> = required(earlier).map(|name| name_now(self, name)).collect();
        for name in required(later).filter(|name| !were_required.iter().any(|other| other == name)) {
            self.at(name, |this| this.report("is required now"));
        }
        self.others(earlier, later);
    }

    /// The entries of maps.
    fn others(&mut self, earlier: &'a Value, later: &'a Value) {
        let others = |schema: &'a Value| schema.get("additionalProperties").unwrap_or(ANY);
        let patterns = |schema: &'a Value| schema.get("patternProperties").and_then(Value::as_object);
        if let Some(now) = patterns(later)
            && patterns(earlier).is_none_or(|then| then.keys().ne(now.keys()))
        {
            let keys: Vec<&str> = now.keys().map(String::as_str).collect();
            return self.report(&format!("its keys match {} now", keys.join(" or ")));
        }
        for (pattern, then) in patterns(earlier).into_iter().flatten() {
            if let Some(now) = patterns(later).and_then(|patterns| patterns.get(pattern)) {
                self.at("*", |this| this.schemas(then, now));
            }
        }
        match (others(earlier), others(later)) {
            (Value::Bool(false), _) | (_, Value::Bool(true)) => {}
            (_, Value::Bool(false)) => self.report("takes no other fields now"),
            (earlier, later) => self.at("*", |this| this.schemas(earlier, later)),
        }
        if let others @ Value::Object(_) = others(earlier) {
            for (name, field) in fields(later).iter().filter(|(name, _)| !fields(earlier).contains_key(*name)) {
                self.at(name, |this| this.schemas(others, field));
            }
        }
    }

    fn arrays(&mut self, earlier: &'a Value, later: &'a Value) {
        let places = |schema: &'a Value| schema["prefixItems"].as_array().map_or(&[][..], Vec::as_slice);
        let rest = |schema: &'a Value| schema.get("items").unwrap_or(ANY);
        let (was, is) = (places(earlier), places(later));
        for index in 0..was.len().max(is.len()) {
            let then = was.get(index).unwrap_or_else(|| rest(earlier));
            let now = is.get(index).unwrap_or_else(|| rest(later));
            self.at(&index.to_string(), |this| this.schemas(then, now));
        }
        if rest(later).is_object() && (was.is_empty() || rest(earlier).is_object()) {
            self.at("*", |this| this.schemas(rest(earlier), rest(later)));
        }
    }

    /// The breaks of one way to read the later schema.
    fn attempt(&self, earlier: &'a Value, later: &'a Value) -> Vec<String> {
        let mut attempt = Comparison { path: self.path.clone(), breaks: Vec::new(), ..*self };
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

fn fields(schema: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    schema["properties"].as_object().unwrap_or(&NONE)
}

fn values_and_aliases(schema: &Value) -> Vec<Value> {
    let aliases = schema[ALIASES].as_object().into_iter().flat_map(Map::keys).map(|alias| alias.as_str().into());
    schema["enum"].as_array().into_iter().flatten().cloned().chain(aliases).collect()
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
        let breaks = breaks(&properties(earlier), &properties(later), &renamed);
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
        let aliased = json!({ "type": "string", "enum": ["x", "y"], ALIASES: { "alias": "x" } });
        check(&json!({ "type": "string", "enum": ["x", "z", "alias"] }), &aliased, &["a: the value \"z\" is gone"]);
        check(&aliased, &choice, &["a: the value \"alias\" is gone"]);
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
        check(&text, &json!({ "type": "string", "pattern": "x" }), &["a: pattern is \"x\" now"]);
        let pair = json!({ "type": "object", "dependencies": { "b": ["c"] } });
        check(&json!({ "type": "object" }), &pair, &["a: dependencies is {\"b\":[\"c\"]} now"]);
        check(&text, &json!({ "type": "string", "format": "date" }), &["a: format is \"date\" now"]);
    }

    #[test]
    fn narrower_bounds_break() {
        let bounded = |least: i32, most: i32| json!({ "type": "integer", "minimum": least, "maximum": most });
        check(&bounded(1, 5), &bounded(0, 6), &[]);
        check(&bounded(1, 5), &bounded(2, 4), &["a: minimum is 2 now", "a: maximum is 4 now"]);
        check(&json!({ "type": "integer" }), &bounded(0, 1), &["a: minimum is 0 now", "a: maximum is 1 now"]);
        let number = |keyword: &str, bound: i32| json!({ "type": "number", keyword: bound });
        check(&number("exclusiveMinimum", 0), &number("minimum", 0), &[]);
        check(&number("minimum", 1), &number("exclusiveMinimum", 0), &[]);
        check(&number("minimum", 0), &number("exclusiveMinimum", 0), &["a: exclusiveMinimum is 0 now"]);
        check(&number("maximum", 0), &number("exclusiveMaximum", 0), &["a: exclusiveMaximum is 0 now"]);
        check(&json!({ "type": "string" }), &json!({ "type": "string", "maxLength": 3 }), &["a: maxLength is 3 now"]);
    }

    #[test]
    fn places_and_keys_break() {
        let pair =
            |one: &str, other: &str| json!({ "type": "array", "prefixItems": [{ "type": one }, { "type": other }] });
        check(&pair("string", "integer"), &pair("string", "integer"), &[]);
        check(
            &pair("string", "integer"),
            &pair("integer", "string"),
            &["a.0: was string and is integer now", "a.1: was integer and is string now"],
        );
        let list = json!({ "type": "array", "items": { "type": "string" } });
        let set = json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true });
        check(&set, &list, &[]);
        check(&list, &set, &["a: uniqueItems is true now"]);
        let map = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
        let numbered = json!({ "type": "object", "patternProperties": { "^\\d+$": { "type": "integer" } }, "additionalProperties": false });
        check(&map, &numbered, &["a: its keys match ^\\d+$ now"]);
        let fields = json!({ "type": "object", "properties": { "b": { "type": "string" } } });
        check(&map, &fields, &["a.b: was integer and is string now"]);
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
        check(&json!({ "type": "object", "additionalProperties": true }), &closed, &["a: takes no other fields now"]);

        let renamed = |name: &str| (name == "old").then(|| "new".to_owned());
        let with = |name: &str| json!({ "type": "object", "properties": { name: {} }, "required": [name] });
        assert_eq!(breaks(&with("old"), &with("new"), &renamed), [""; 0]);
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
        let compare = |later: &Value| breaks(&tree("string"), later, &|_| None);
        assert_eq!(compare(&tree("string")), [""; 0]);
        assert_eq!(compare(&tree("integer")), ["root.name: was string and is integer now"]);
    }
}
