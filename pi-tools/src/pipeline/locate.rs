//! Where in a JSON text an error is, as a path.

/// The path of the innermost value around the byte at `offset`, as `a.0.b`; empty for the whole. The text is valid JSON.
pub(super) fn locate(text: &str, offset: usize) -> String {
    let mut path: Vec<Segment> = Vec::new();
    let bytes = text.as_bytes();
    let mut position = 0;
    while position < bytes.len() {
        let start = position;
        position += 1;
        match bytes[start] {
            b'{' => path.push(Segment::Key { name: String::new(), expected: true }),
            b'[' => path.push(Segment::Index(0)),
            // The end of a container is its own, not its last member's.
            b'}' | b']' => {
                path.pop();
                if start >= offset {
                    break;
                }
                continue;
            }
            b',' => match path.last_mut() {
                Some(Segment::Index(index)) => *index += 1,
                Some(Segment::Key { expected, .. }) => *expected = true,
                None => {}
            },
            b'"' => {
                position = end_of_string(bytes, position);
                if let Some(Segment::Key { name, expected: expected @ true }) = path.last_mut() {
                    *expected = false;
                    *name = serde_json::from_str(&text[start..position]).unwrap_or_default();
                }
            }
            _ => {}
        }
        if position > offset {
            break;
        }
    }
    let segments: Vec<String> = path
        .into_iter()
        .map(|segment| match segment {
            Segment::Key { name, .. } => name,
            Segment::Index(index) => index.to_string(),
        })
        .collect();
    segments.join(".")
}

enum Segment {
    /// In an object: the present key, and whether the next string is a key.
    Key {
        name: String,
        expected: bool,
    },
    Index(usize),
}

/// The position after the closing quote.
fn end_of_string(bytes: &[u8], mut position: usize) -> usize {
    while let Some(byte) = bytes.get(position) {
        position += 1;
        match byte {
            b'\\' => position += 1,
            b'"' => break,
            _ => {}
        }
    }
    position
}

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn the_innermost_value_around_a_byte() {
        let text = r#"{"a":{"b":[1,"x\"}",{"c":2.5}]},"d":[[],true]}"#;
        for (needle, path) in
            [("1,", "a.b.0"), ("x\\", "a.b.1"), ("2.5", "a.b.2.c"), ("}]}", "a.b.2"), ("]}", "a.b"), ("true", "d.1")]
        {
            assert_eq!(locate(text, text.find(needle).unwrap()), path, "{needle}");
        }
        assert_eq!(locate(text, text.len() - 1), "");
        assert_eq!(locate("3", 0), "");
    }
}
