//! The entries of a session: a tree, and the place in it where the next one goes.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use serde_json::Value;

/// Entries in the order of the file. Each has an id; its parent is an entry before it, or nobody.
#[derive(Debug, Default)]
pub(super) struct Tree {
    entries: Vec<Value>,
    places: HashMap<String, usize>,
    leaf: Option<String>,
}

impl Tree {
    pub(super) fn entries(&self) -> &[Value] {
        &self.entries
    }

    pub(super) fn leaf(&self) -> Option<&str> {
        self.leaf.as_deref()
    }

    /// Adds an entry, which becomes the leaf.
    pub(super) fn push(&mut self, entry: Value) {
        let id = entry["id"].as_str().unwrap_or_default().to_owned();
        self.places.insert(id.clone(), self.entries.len());
        self.entries.push(entry);
        self.leaf = Some(id);
    }

    /// Takes out what comes after the first `length` entries. The leaf is the last that stays.
    pub(super) fn split_off(&mut self, length: usize) -> Vec<Value> {
        let rest = self.entries.split_off(length);
        self.places.retain(|_, place| *place < length);
        self.leaf = self.entries.last().and_then(|entry| entry["id"].as_str()).map(str::to_owned);
        rest
    }

    /// Moves the leaf, `None` in front of the first entry; whether there is such an entry.
    pub(super) fn move_to(&mut self, id: Option<&str>) -> bool {
        let is_there = id.is_none_or(|id| self.places.contains_key(id));
        if is_there {
            self.leaf = id.map(str::to_owned);
        }
        is_there
    }

    /// Whether the next entry goes behind the last one.
    pub(super) fn is_at_end(&self) -> bool {
        self.leaf() == self.entries.last().and_then(|entry| entry["id"].as_str())
    }

    /// From the root to the leaf. A parent that is missing makes a root, as in Pi.
    pub(super) fn branch(&self) -> Vec<&Value> {
        let mut branch = Vec::new();
        let mut next = self.leaf();
        while let Some(place) = next.and_then(|id| self.places.get(id)) {
            let entry = &self.entries[*place];
            branch.push(entry);
            // A file that somebody else has written may go in circles.
            next = entry["parentId"].as_str().filter(|_| branch.len() < self.entries.len());
        }
        branch.reverse();
        branch
    }

    /// An id that no entry has: eight hexadecimal digits, as Pi's.
    pub(super) fn new_id(&self) -> String {
        loop {
            let id = format!("{:08x}", random() >> 32);
            if !self.places.contains_key(&id) {
                return id;
            }
        }
    }
}

/// Enough to tell entries and sessions apart; no secret depends on it. The standard library keys each hasher anew.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one(std::time::SystemTime::now())
}
