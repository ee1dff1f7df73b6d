//! Outputs and texts that are too long.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pi_tools::builtin::Truncation;
use pi_tools::prelude::*;
use pi_tools::truncate::{Limits, Truncator, truncate_head, truncate_tail};
use pi_tools::{Session, Tool, ToolSpec, Truncate};
use pi_tools_tests::random::Random;
use serde_json::{Map, Value, json};

/// Say a text, from its beginning.
#[pi_tool]
async fn head(
    /// The text.
    text: String,
) -> String {
    text
}

/// Say a text, up to its end.
#[pi_tool(truncate = "tail", max_lines = 3, max_bytes = 100)]
async fn tail(
    /// The text.
    text: String,
) -> String {
    text
}

/// Say all of a text.
#[pi_tool(truncate = "none")]
async fn all(
    /// The text.
    text: String,
) -> String {
    text
}

/// Fail with a text.
#[pi_tool(max_lines = 2)]
fn fail(
    /// The text.
    text: String,
) -> Result<String, ToolError> {
    Err(ToolError::new(text).with_details("of its own"))
}

async fn call(tool: &str, text: &str, cx: &ToolContext) -> ToolOutput {
    Toolbox::collect().unwrap().call_with(tool, json!({ "text": text }), cx).await
}

fn lines(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

/// The text of an output before its notice, the notice before its file, and the file.
fn parts(output: &ToolOutput) -> (String, String, PathBuf) {
    let text = output.to_text();
    let (text, notice) = text.rsplit_once('[').unwrap();
    let (notice, file) = notice.strip_suffix(']').unwrap().split_once("Full output: ").unwrap();
    (text.to_owned(), notice.to_owned(), PathBuf::from(file))
}

#[tokio::test]
async fn what_fits_is_left_alone() {
    let cx = ToolContext::new();
    let at_the_limit = "x".repeat(51_200);
    for (tool, text) in [("head", lines(2000)), ("head", at_the_limit), ("tail", lines(3)), ("all", lines(9000))] {
        assert_eq!(call(tool, &text, &cx).await.to_text(), text);
    }
    // A final newline too much leaves out nothing.
    let text = format!("{}\n", "x".repeat(51_200));
    assert_eq!(call("head", &text, &cx).await.to_text(), text);
}

#[tokio::test]
async fn the_head_by_lines_and_by_bytes() {
    let cx = ToolContext::new();
    let (kept, notice, file) = parts(&call("head", &lines(2001), &cx).await);
    assert_eq!(kept, format!("{}\n", lines(2000)));
    assert_eq!(notice, "Showing lines 1-2000 of 2001. ");
    assert_eq!(fs::read_to_string(file).unwrap(), lines(2001));

    let wide = format!("{}\n", "é".repeat(20)).repeat(1500);
    let (kept, notice, file) = parts(&call("head", &wide, &cx).await);
    assert_eq!(kept, format!("{}\n", &wide[..41 * 1248]));
    assert_eq!(notice, "Showing lines 1-1248 of 1500 (50.0KB limit). ");
    assert_eq!(fs::read_to_string(file).unwrap(), wide);

    let (kept, notice, _) = parts(&call("head", &format!("{}\nb", "a".repeat(52_000)), &cx).await);
    assert_eq!((kept.as_str(), notice.as_str()), ("", "Line 1 of 2 is 50.8KB, exceeds 50.0KB limit. "));
}

#[tokio::test]
async fn the_tail_by_lines_and_by_bytes() {
    let cx = ToolContext::new();
    let (kept, notice, file) = parts(&call("tail", &lines(5), &cx).await);
    assert_eq!((kept.as_str(), notice.as_str()), ("line 3\nline 4\nline 5\n\n", "Showing lines 3-5 of 5. "));
    assert_eq!(fs::read_to_string(file).unwrap(), lines(5));

    let text = format!("a\n{}\nb\n", "x".repeat(98));
    let (kept, notice, _) = parts(&call("tail", &text, &cx).await);
    assert_eq!(
        (kept.as_str(), notice.as_str()),
        (format!("{}\n", &text[2..]).as_str(), "Showing lines 2-3 of 3 (100B limit). ")
    );

    let (kept, notice, _) = parts(&call("tail", &format!("a\n{}\n", "é".repeat(70)), &cx).await);
    assert_eq!(kept, format!("{}\n\n", "é".repeat(50)));
    assert_eq!(notice, "Showing last 100B of line 2 (line is 140B). ");
}

/// A tool that stands for one of Pi's says in its details what that says, on the command line as anywhere.
#[test]
fn details_of_a_built_in_tell_the_cut() {
    let details = |tool: &str, arguments: &str| -> Map<String, Value> {
        let arguments = ["call", "--json", tool, arguments];
        let output = Command::new(env!("CARGO_BIN_EXE_standins")).args(arguments).output().unwrap();
        let mut output: Value = serde_json::from_slice(&output.stdout).unwrap();
        serde_json::from_value(output["details"].take()).unwrap_or_default()
    };
    let text: String = (1..=2500).map(|number| format!("file {number}\n")).collect();
    let cut = json!(truncate_head(&text, Limits::default()));
    let found = details("find", r#"{"pattern":"2500"}"#);
    assert_eq!(Value::from(found), json!({ "resultLimitReached": 9, "truncation": cut }));
    assert_eq!(Value::from(details("find", r#"{"pattern":"2"}"#)), json!({ "resultLimitReached": 9 }));

    let cut = json!(truncate_tail(&lines(5), Limits { max_lines: 3, ..Limits::default() }));
    let mut said = details("powershell", r#"{"command":"5"}"#);
    let file = said.shift_remove("fullOutputPath").unwrap();
    assert!(file.as_str().is_some_and(|file| !file.is_empty()), "{file}");
    assert_eq!(Value::from(said), json!({ "truncation": cut }));
    assert_eq!(details("powershell", r#"{"command":"3"}"#), Map::new());
}

#[tokio::test]
async fn errors_are_cut_and_keep_their_details() {
    let cx = ToolContext::new();
    let output = call("fail", &lines(3), &cx).await;
    let (kept, notice, file) = parts(&output);
    assert_eq!((kept.as_str(), notice.as_str()), ("line 1\nline 2\n\n", "Showing lines 1-2 of 3. "));
    assert_eq!((output.is_error(), output.details()), (true, Some(&json!("of its own"))));
    assert_eq!(fs::read_to_string(file).unwrap(), lines(3));

    // What the library says, too: no JSON, not the right arguments.
    let toolbox = Toolbox::collect().unwrap();
    for arguments in [lines(3), json!({ "texts": lines(3), "other": 1 }).to_string()] {
        let output = toolbox.call_with("fail", arguments, &cx).await;
        let (_, notice, file) = parts(&output);
        assert!(notice.starts_with("Showing lines 1-2 of ") && output.is_error(), "{notice}");
        assert!(fs::read_to_string(file).unwrap().contains("line 3"));
    }
    // They begin with what is wrong, so that is kept also where the tool says otherwise.
    let (kept, _, _) = parts(&toolbox.call_with("tail", json!({ "texts": lines(30) }), &cx).await);
    assert!(kept.starts_with("Validation failed for tool \"tail\":\n  - text: missing\n"), "{kept}");
}

/// Say several texts, which only a tool by hand can.
struct Several {
    texts: &'static [&'static str],
    truncate: Truncate,
}

impl Tool for Several {
    type Arguments = Map<String, Value>;
    type State = ();

    fn spec(&self) -> &'static ToolSpec {
        static HEAD: ToolSpec = ToolSpec::new("several", "Several", "Say several texts.").max_lines(3).max_bytes(30);
        static TAIL: ToolSpec = ToolSpec::new("several", "Several", "Say several texts.")
            .truncate(Truncate::Tail)
            .max_lines(3)
            .max_bytes(30);
        if self.truncate == Truncate::Tail { &TAIL } else { &HEAD }
    }

    async fn call(&self, _: Self::Arguments, (): &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
        let content = self.texts.iter().map(|text| json!({ "type": "text", "text": text }));
        Ok(serde_json::from_value(json!({ "content": content.collect::<Value>() }))?)
    }
}

#[tokio::test]
async fn several_texts_count_as_one() {
    use Truncate::{Head, Tail};

    let long = "this is a line of 31 bytes, yes";
    let cases: [(&'static [&str], Truncate, &[&str], &str); 8] = [
        (&["a", "b", "c"], Head, &["a", "b", "c"], ""),
        (&["a\nb", "c\nd", "e"], Head, &["a\nb", "c"], "Showing lines 1-3 of 5"),
        (&["a\nb", "c\nd", "e"], Tail, &["c\nd", "e"], "Showing lines 3-5 of 5"),
        (&["a\nb\nc", "d"], Head, &["a\nb\nc"], "Showing lines 1-3 of 4"),
        (&["a\n", "b\nc\nd\n"], Tail, &["b\nc\nd"], "Showing lines 3-5 of 5"),
        (&["a", "", "c", "d", ""], Tail, &["", "c", "d"], "Showing lines 2-4 of 4"),
        (&["this is a line of 31 bytes, yes", "b"], Head, &[""], "Line 1 of 2 is 31B, exceeds 30B limit"),
        (&["b", "this is a line of 31 bytes, yes"], Tail, &[&long[1..]], "Showing last 30B of line 2 (line is 31B)"),
    ];
    for (texts, truncate, kept, notice) in cases {
        let toolbox = Toolbox::builder().tool(Several { texts, truncate }).build().unwrap();
        let mut expected: Vec<String> = kept.iter().map(|&text| text.to_owned()).collect();
        let output = json!(toolbox.call("several", "{}").await);
        let blocks = output["content"].as_array().unwrap().iter();
        let got: Vec<&str> = blocks.map(|block| block["text"].as_str().unwrap()).collect();
        if !notice.is_empty() {
            let file = got.last().unwrap().strip_suffix(']').unwrap().rsplit_once(". Full output: ").unwrap().1;
            assert_eq!(fs::read_to_string(file).unwrap(), texts.join("\n"));
            let end = expected.last_mut().unwrap();
            let gap = if end.is_empty() { "" } else { "\n\n" };
            *end = format!("{end}{gap}[{notice}. Full output: {file}]");
        }
        assert_eq!(got, expected);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_files_are_private_and_go_with_the_session() {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let session = Session::new();
    let cx = ToolContext::new().with_session(session.clone());
    let (_, _, first) = parts(&call("tail", &lines(4), &cx).await);
    let (_, _, second) = parts(&call("tail", &lines(5), &cx).await);
    let folder = first.parent().unwrap().to_owned();
    assert!(first != second && second.parent() == Some(&folder) && folder.is_absolute());
    assert_eq!((mode(&folder), mode(&first), mode(&second)), (0o700, 0o600, 0o600));
    let (_, _, other) = parts(&call("tail", &lines(5), &ToolContext::new()).await);
    assert!(other.parent() != Some(&folder) && !other.exists());

    // Somebody tidies up.
    fs::remove_dir_all(&folder).unwrap();
    let (_, _, third) = parts(&call("tail", &lines(6), &cx).await);
    let folder = third.parent().unwrap().to_owned();
    drop(cx);
    assert_eq!(fs::read_to_string(&third).unwrap(), lines(6));
    drop(session);
    assert!(!folder.exists());
}

fn lab() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lab"))
}

#[test]
fn without_a_file_the_notice_says_so() {
    let output = lab().env("TMPDIR", "/nowhere").args(["call", "ramble", r#"{"lines":3000}"#]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, notice) = text.split_once("line 2000\n\n").unwrap();
    assert_eq!(
        notice,
        "[Showing lines 1-2000 of 3000. Full output could not be saved: No such file or directory (os error 2)]\n"
    );
    assert!(output.status.success());
}

#[test]
fn on_the_command_line_the_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let output = lab().env("TMPDIR", folder.path()).args(["call", "ramble", r#"{"lines":3000}"#]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let file = text.trim_end().strip_suffix(']').unwrap().rsplit_once("Full output: ").unwrap().1;
    assert_eq!(fs::read_to_string(file).unwrap(), lines(3000));
}

#[test]
fn a_bundle_that_ends_removes_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut bundle =
        lab().arg("serve").env("TMPDIR", folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = bundle.stdin.take().unwrap();
    let params = json!({ "callId": "1", "name": "ramble", "params": { "lines": 3000 } });
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })).unwrap();
    let mut answer = String::new();
    BufReader::new(bundle.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let file = text.strip_suffix(']').unwrap().rsplit_once("Full output: ").unwrap().1;
    assert_eq!(fs::read_to_string(file).unwrap(), lines(3000));
    drop(input);
    assert!(bundle.wait().unwrap().success());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The texts that a generator makes, from few characters so that every edge is met.
fn bytes(random: &mut Random) -> Vec<u8> {
    let parts: [&[u8]; 10] =
        [b"\n", b"\n", b"a", b"bc", "é".as_bytes(), "你".as_bytes(), "😀".as_bytes(), b"\r\n", b"\xE4\xBD", b"\xF0"];
    let count = random.below(12);
    // Half of them are well-formed.
    let kinds = if random.below(2) == 0 { 8 } else { 10 };
    (0..count).flat_map(|_| parts[random.below(kinds)].to_vec()).collect()
}

/// The rule as one would write it for a whole text.
fn by_lines(text: &str, limits: Limits, is_tail: bool) -> Truncation {
    let Limits { max_lines, max_bytes } = limits;
    let mut lines: Vec<&str> = text.split('\n').collect();
    if text.is_empty() || text.ends_with('\n') {
        lines.pop();
    }
    let mut result = Truncation {
        content: text.to_owned(),
        total_lines: lines.len() as u64,
        total_bytes: text.len() as u64,
        output_lines: lines.len() as u64,
        output_bytes: text.len() as u64,
        max_lines: max_lines as u64,
        max_bytes: max_bytes as u64,
        ..Truncation::default()
    };
    if lines.len() <= max_lines && text.len() <= max_bytes {
        return result;
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut by = "lines";
    let first = lines[0];
    if is_tail {
        lines.reverse();
    }
    for line in lines.into_iter().take(max_lines) {
        let size = kept.iter().map(|line| line.len() + 1).sum::<usize>() + line.len();
        if size > max_bytes {
            by = "bytes";
            if is_tail && kept.is_empty() {
                let from = (line.len() - max_bytes..=line.len()).find(|index| line.is_char_boundary(*index)).unwrap();
                kept.push(&line[from..]);
                result.last_line_partial = true;
            }
            break;
        }
        kept.push(line);
    }
    if is_tail && kept.len() == max_lines {
        by = "lines";
    }
    if !is_tail && first.len() > max_bytes {
        by = "bytes";
        result.first_line_exceeds_limit = true;
    }
    result.output_lines = kept.len() as u64;
    if is_tail {
        kept.reverse();
    }
    result.content = kept.join("\n");
    result.output_bytes = result.content.len() as u64;
    result.truncated = true;
    result.truncated_by = Some(by.to_owned());
    result
}

#[test]
fn pieces_and_the_whole_are_cut_alike() {
    let mut random = Random(88_172_645_463_325_252);
    for _ in 0..20_000 {
        let bytes = bytes(&mut random);
        let text = String::from_utf8_lossy(&bytes);
        let limits = Limits { max_lines: random.below(6), max_bytes: random.below(20) };
        for (is_tail, whole, mut pieces) in [
            (false, truncate_head(&text, limits), Truncator::head(limits)),
            (true, truncate_tail(&text, limits), Truncator::tail(limits)),
        ] {
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let (piece, others) = rest.split_at(1 + random.below(rest.len()));
                pieces.push(piece);
                rest = others;
            }
            assert_eq!(pieces.finish(), whole, "{bytes:?} in pieces, {limits:?}");
            assert_eq!(whole, by_lines(&text, limits, is_tail), "{text:?} {limits:?}");
        }
    }
}

#[test]
fn what_is_read_is_counted() {
    let input = || std::io::repeat(b'x').take(8 << 20).chain(&b"\nend\n"[..]);
    let mut head = Truncator::head(Limits::default());
    head.read(input()).unwrap();
    let head = head.finish();
    assert_eq!((head.total_lines, head.total_bytes, head.first_line_exceeds_limit), (2, (8 << 20) + 5, true));
    let mut tail = Truncator::tail(Limits { max_bytes: 6, ..Limits::default() });
    tail.read(input()).unwrap();
    let tail = tail.finish();
    assert_eq!((tail.content.as_str(), tail.total_bytes), ("end", (8 << 20) + 5));
}
