//! The formats of texts in JSON Schema, as Pi reads them.
//!
//! International names and addresses are checked for their letters, not for all rules of IDNA: a name that is accepted may
//! still not exist.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regress::Regex;

/// Whether a text is of a format of JSON Schema; `None` for one that is not checked.
pub(super) fn is_of_format(format: &str, text: &str) -> Option<bool> {
    Some(match format {
        "date" => is_date(text),
        "time" => is_time(text),
        "date-time" => text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time)),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "regex" => Regex::with_flags(text, "u").is_ok(),
        _ => {
            let (_, pattern) = PATTERNS.iter().find(|(name, _)| *name == format)?;
            // What a group holds is an address.
            let is_address = |range: std::ops::Range<usize>| text[range].parse::<IpAddr>().is_ok();
            pattern.find(text).is_some_and(|found| found.group(1).is_none_or(is_address))
        }
    })
}

/// The formats that a pattern decides.
static PATTERNS: LazyLock<[(&str, Regex); 15]> = LazyLock::new(|| {
    const ATOM: &str = r"[\w!#$%&'*+/=?^`{|}~-]";
    const ESCAPE: &str = r"%[\da-fA-F]{2}";
    const SCHEME: &str = r"[a-zA-Z][a-zA-Z\d+.-]*:";

    // Nested counts, which the grammar suggests, would take the engine too long.
    let label = r"(?!-)[a-zA-Z\d-]{1,63}(?<!-)";
    let host_label = format!("(?!(?![xX][nN])..--){label}");
    let letters = r"(?!-)[-\p{L}\p{M}\p{N}\u00b7\u30fb]{1,63}(?<!-)";
    let names = |label: &str, dot: &str| format!("^(?=.{{1,253}}$){label}(?:{dot}{label})*$");
    let email = format!(
        r#"^(?:{ATOM}+(?:\.{ATOM}+)*|"(?:[^"\\]|\\[ -~])*")@(?:{label}(?:\.{label})*|\[(?:[iI][pP][vV]6:[\da-fA-F:]+|([\d.]+))\])$"#
    );
    let atom = format!(r"(?:{ATOM}|[^\0-\x7f])+");
    let idn_email = format!(r#"^(?:{atom}(?:\.{atom})*|"(?:[^"\\]|\\.)*")@{letters}(?:\.{letters})*$"#);

    let part = |others: &str| format!(r"(?:[-\w.~!$&'()*+,;={others}]|{ESCAPE})*");
    let (host, user, segment, query) = (part(""), part(":"), part(":@"), part(":@/?"));
    let address = r"\[(?:[vV][\da-fA-F]+\.[-\w.~!$&'()*+,;=:]+|([\da-fA-F.]*:[\da-fA-F:.]*))\]";
    let path = format!(r"(?://(?:{user}@)?(?:{address}|{host})(?::\d*)?(?![^/?#])|(?!//)){segment}(?:/{segment})*");
    let rest = format!(r"{path}(?:\?{query})?(?:#{query})?$");
    // Browsers want a host after these.
    let hosted = "(?:https?|wss?|ftp):";
    let browser_host = r"(?:[^/\\?#]*@)?(?:\[[\da-fA-F:.]+\]|[^\s/\\?#@:<>^|[\]%]+)(?::\d{0,5})?(?:[/\\?#]|$)";
    let international = format!(r"(?:[^\0- <>^`{{|}}\\%]|{ESCAPE})*$");

    let name = format!(r"(?:\w|{ESCAPE})+");
    let name = format!(r"{name}(?:\.{name})*(?::[1-9]\d{{0,3}}|\*)?");
    let template = format!(r#"^(?:[^\0- "<>%\\^`{{|}}\x7f]|{ESCAPE}|\{{[+#./;?&=,!@|]?{name}(?:,{name})*\}})*$"#);

    let days = r"(?:\d+Y|(?:\d+Y)?\d+M(?:\d+D)?|\d+D)";
    let hours = r"T(?:\d+H|(?:\d+H)?\d+M(?:\d+S)?|\d+S)";
    [
        ("duration", compiled(&format!("^P(?:{days}(?:{hours})?|{hours}|\\d+W)$"), "")),
        ("email", compiled(&email, "")),
        ("hostname", compiled(&names(&host_label, r"\."), "")),
        ("idn-email", compiled(&idn_email, "u")),
        ("idn-hostname", compiled(&names(letters, r"[.。｡]"), "u")),
        ("iri", compiled(&format!("^(?:{hosted}(?=[/\\\\]*{browser_host})|(?!{hosted}){SCHEME}){international}"), "")),
        ("iri-reference", compiled(&format!("^(?!{SCHEME}//$)(?!//$){international}"), "")),
        ("json-pointer", compiled(r"^(?:/(?:[^~/]|~[01])*)*$", "")),
        ("json-pointer-uri-fragment", compiled(r"^#(?:/(?:[-\w.!$&'()*+,;:=@]|%[\da-fA-F]{2}|~[01])*)*$", "")),
        ("relative-json-pointer", compiled(r"^(?:0|[1-9]\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)$", "")),
        ("uri", compiled(&format!("^{SCHEME}{rest}"), "")),
        ("uri-reference", compiled(&format!("^(?:{SCHEME}|(?![^/?#]*:)){rest}"), "")),
        ("uri-template", compiled(&template, "")),
        ("url", compiled(&format!("^\\s*(?:{hosted}[/\\\\]*{browser_host}|(?!{hosted}){SCHEME})"), "i")),
        ("uuid", compiled(r"^[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}$", "")),
    ]
});

static DATE: LazyLock<Regex> = LazyLock::new(|| compiled(r"^(\d{4})-(\d\d)-(\d\d)$", ""));
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-]([01]\d|2[0-3]):([0-5]\d))$", "")
});

fn compiled(pattern: &str, flags: &str) -> Regex {
    Regex::with_flags(pattern, flags).expect("a valid pattern")
}

/// The number in each group of a pattern, 0 for an absent one.
fn numbers<const N: usize>(pattern: &Regex, text: &str) -> Option<[i32; N]> {
    let found = pattern.find(text)?;
    Some(std::array::from_fn(|index| found.group(index + 1).and_then(|range| text[range].parse().ok()).unwrap_or(0)))
}

fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(&DATE, text) else { return false };
    let days = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let Some([hour, minute, second, hours, minutes]) = numbers(&TIME, text) else { return false };
    let offset = (hours * 60 + minutes) * if text.contains('-') { -1 } else { 1 };
    // A leap second is the last one of a day in UTC.
    second < 60 || (hour * 60 + minute - offset).rem_euclid(24 * 60) == 24 * 60 - 1
}

#[cfg(test)]
mod tests {
    use super::is_of_format;

    #[test]
    fn formats_accept_and_refuse_what_pi_does() {
        let table: [(&str, &[&str], &[&str]); 21] = [
            ("date", &["2000-02-29"], &["1900-02-29", "2024-04-31", "2024-1-1"]),
            ("date-time", &["2024-12-31t23:59:60z"], &["2024-12-31 00:00:00Z", "2024-12-31T00:00:00"]),
            ("duration", &["P1W", "P1Y2M", "PT1H"], &["P", "PT", "P1Y2D", "P1W1D"]),
            ("email", &["a@b", "\"a b\"@[1.2.3.4]", "a@[IPv6::]"], &["a..b@c", "a@[01.2.3.4]", "é@b"]),
            ("hostname", &["a-b.c", "xn--bcher-kva.ch"], &["a.", "ab--c", "a_b", "ſ", ""]),
            ("idn-email", &["é@é.ch"], &["a@-b"]),
            ("idn-hostname", &["l·l", "a。b", "ア・イ", "א1"], &["a b", "-a", ""]),
            ("ipv4", &["255.0.0.1"], &["01.2.3.4", "1.2.3", "256.1.1.1"]),
            ("ipv6", &["::1.2.3.4", "1:2:3:4:5:6:7::"], &["fe80::1%eth0", "::01.2.3.4", ":1"]),
            ("iri", &["http://é漢.ch/", "urn:a"], &["a", "http://a b", "a:%4", "http://"]),
            ("iri-reference", &["", "a", "//é漢.ch"], &["%4", "\\", "//"]),
            ("json-pointer", &["", "/~0/~1"], &["a", "/~2"]),
            ("json-pointer-uri-fragment", &["#/%41"], &["/a", "#a", "#/%4"]),
            ("regex", &["[\\b*]\\b", "(?<=a)b"], &["(", "\\a", "{"]),
            ("relative-json-pointer", &["0#", "1/a"], &["01", "-1", "/a"]),
            ("time", &["15:59:60-08:00", "00:29:60+00:30"], &["22:59:60Z", "12:00:00", "24:00:00Z"]),
            ("uri", &["a:", "http://[::1]:80/"], &["a", "http://[1.2.3.4]", "a:é", "a:%4"]),
            ("uri-reference", &["", "a/b:c", "//u:p@h"], &["1:a", "\\", ":"]),
            ("uri-template", &["{?a,b*,c:12}", "é"], &["{", "{a:0}", "{é}", "%4"]),
            ("url", &["http:a", "file:", "http://0x7f.1", "a:b", "HTTP://a/?q"], &["a", "http://", "http://a:b"]),
            ("uuid", &["FFFFFFFF-ffff-0000-0000-000000000000"], &["ffffffffffff00000000000000000000"]),
        ];
        for (format, accepted, refused) in table {
            for (texts, expected) in [(accepted, true), (refused, false)] {
                for text in texts {
                    assert_eq!(is_of_format(format, text), Some(expected), "{format} {text:?}");
                }
            }
        }
        assert_eq!(is_of_format("color", ""), None);
    }
}
