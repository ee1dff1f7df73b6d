//! `file://` URLs as paths, as browsers and Node read them.

use std::io::{self, ErrorKind};

/// The path of what stands behind `file://`.
pub(super) fn to_path(url: &str) -> io::Result<String> {
    let url = url.trim_end_matches(|letter| letter <= ' ').replace(['\t', '\n', '\r'], "").replace('\\', "/");
    let url = url.split(['?', '#']).next().unwrap_or_default();
    // A drive is no host.
    let (host, path) = if is_drive(first(url)) { ("", url) } else { url.split_once('/').unwrap_or((url, "")) };
    if !host.is_empty() && !decoded(host)?.eq_ignore_ascii_case("localhost") {
        return Err(invalid(&format!("File URL host must be \"localhost\" or empty on {}", std::env::consts::OS)));
    }
    let path = without_dots(path);
    if path.to_ascii_lowercase().contains("%2f") {
        return Err(invalid("File URL path must not include encoded / characters"));
    }
    let path = decoded(&path)?;
    // The system's own form of a drive.
    Ok(if cfg!(windows) && is_drive(first(&path)) { path } else { format!("/{path}") })
}

fn first(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

/// `C:` or, in old URLs, `C|`.
fn is_drive(part: &str) -> bool {
    matches!(part.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// The parts of a path without `.` and `..`, which may be encoded.
fn without_dots(path: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = path.split('/').peekable();
    while let Some(part) = rest.next() {
        let is_last = rest.peek().is_none();
        match part.to_ascii_lowercase().replace("%2e", ".").as_str() {
            ".." if parts.len() != 1 || !is_drive(&parts[0]) => _ = parts.pop(),
            "." | ".." => {}
            _ if parts.is_empty() && is_drive(part) => {
                parts.push(part.replace('|', ":"));
                continue;
            }
            _ => {
                parts.push(part.to_owned());
                continue;
            }
        }
        if is_last {
            parts.push(String::new());
        }
    }
    parts.join("/")
}

fn decoded(text: &str) -> io::Result<String> {
    let malformed = || invalid("URI malformed");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = tail.split_at_checked(2).ok_or_else(malformed)?;
        let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
        let (Some(high), Some(low)) = (value(digits.0[0]), value(digits.0[1])) else { return Err(malformed()) };
        bytes.push(high << 4 | low);
        rest = digits.1;
    }
    String::from_utf8(bytes).map_err(|_| malformed())
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Node makes of them.
    #[test]
    fn paths() {
        for (url, path) in [
            ("", "/"),
            ("/", "/"),
            ("localhost", "/"),
            ("LOCALHOST/x", "/x"),
            ("%6cocalhost/a", "/a"),
            ("/a?q#h", "/a"),
            ("/a%20b%3f", "/a b?"),
            ("/a/../b", "/b"),
            ("/a/%2e%2E/b", "/b"),
            ("/a/.", "/a/"),
            ("/a/b/..", "/a/"),
            ("/..", "/"),
            ("/a/..//b", "//b"),
            ("//a", "//a"),
            ("/a//b", "/a//b"),
            ("/a\\b", "/a/b"),
            ("/a%5Cb", "/a\\b"),
            ("/a\tb", "/ab"),
            ("/a \u{1}", "/a"),
            ("/ä b", "/ä b"),
            ("/~/x", "/~/x"),
            #[cfg(not(windows))]
            ("/C:/x", "/C:/x"),
            #[cfg(not(windows))]
            ("c|/x", "/c:/x"),
        ] {
            assert_eq!(to_path(url).unwrap(), path, "{url}");
        }
    }

    #[test]
    fn what_is_no_path() {
        for (url, problem) in [
            ("host/x", "host"),
            ("~/x", "host"),
            ("user@localhost/a", "host"),
            ("/a%2Fb", "encoded /"),
            ("/a%zz", "malformed"),
            ("/a%", "malformed"),
            ("/a%ff", "malformed"),
        ] {
            let error = to_path(url).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidInput && error.to_string().contains(problem), "{url}: {error}");
        }
    }
}
