//! The helpers for tests: what they record, what they refuse, and what they say then.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pi_tools::prelude::*;
use pi_tools::testing::{HostEvent, ScriptedHost, TestContext, assert_tool_list, expect, tool_list};
use pi_tools::{Image, Session, SessionState};
use serde_json::json;

/// What a failed assertion says.
fn panic_of(fails: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(fails)).expect_err("it panics");
    payload.downcast_ref::<String>().cloned().unwrap_or_else(|| (*payload.downcast::<&str>().unwrap()).to_owned())
}

#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize, SessionState)]
struct Notes(Vec<String>);

struct Greeting(&'static str);

#[derive(Clone, Copy, StringEnum)]
enum Tone {
    /// As to a friend.
    #[string_enum(alias = "nice")]
    Warm,
    /// As to a stranger.
    Cool,
}

/// Greet someone by name.
///
/// # And
///
/// remember it.
#[pi_tool(
    handle = Greet,
    register = false,
    prompt_snippet = "Greet someone",
    guidelines = ["Use greet for every newcomer"],
    destructive = false,
    timeout = "30s"
)]
async fn greet(
    /// Whom to greet.
    #[arg(alias = "who")]
    name: String,
    /// How.
    tone: Option<Tone>,
    notes: &mut Notes,
    greeting: &Greeting,
    cx: &ToolContext,
) -> Result<Json<String>, ToolError> {
    let _ = tone;
    cx.update("thinking");
    cx.ui().notify(&name, if cx.ui().available() { Level::Info } else { Level::Error });
    notes.0.push(name.clone());
    cx.append_entry("greeted", &name)?;
    Ok(Json(format!("{}, {name}!", greeting.0)))
}

/// Do nothing.
#[pi_tool(handle = Idle, register = false)]
async fn idle() {}

fn toolbox() -> Toolbox {
    Toolbox::builder().tool(Idle).tool(Greet).provide(Greeting("Hello")).build().unwrap()
}

#[tokio::test]
async fn a_function_is_called_with_a_test_context() {
    let cx = TestContext::new().with_call_id("7").with_cwd("/project");
    let mut notes = Notes::default();
    let returned = greet("Ada".to_owned(), Some(Tone::Warm), &mut notes, &Greeting("Hi"), &cx).await;
    expect(returned).is_success().has_text("\"Hi, Ada!\"").has_structured_content("Hi, Ada!");
    assert_eq!(notes, Notes(vec!["Ada".to_owned()]));
    let call_id = || "7".to_owned();
    assert_eq!(
        cx.host().events(),
        [
            HostEvent::Update { call_id: call_id(), output: ToolOutput::text("thinking") },
            HostEvent::Notice { call_id: call_id(), message: "Ada".to_owned(), level: Level::Info },
            HostEvent::Entry { call_id: call_id(), custom_type: "greeted".to_owned(), data: json!("Ada") },
        ]
    );
    assert_eq!(cx.cwd(), std::path::Path::new("/project"));
    assert_eq!(cx.session().entries("greeted"), [json!("Ada")]);
    assert_eq!(cx.host().entries("greeted"), [json!("Ada")]);
    assert!(cx.host().entries("other").is_empty());
}

#[tokio::test]
async fn a_tool_is_called_with_a_state_and_a_script() {
    let toolbox = toolbox();
    let cx = TestContext::new()
        .with_state(&Notes(vec!["Ada".to_owned()]))
        .with_host(ScriptedHost::new().without_ui().refuse_entries("full"))
        .with_value(Greeting("Good day"));
    let call = || toolbox.call_with("greet", r#"{"name":"Grace"}"#, &cx);
    expect(call().await).is_error().has_text("full");
    assert_eq!(cx.host().notices(), [(Level::Error, "Grace".to_owned())]);
    assert!(cx.session().entries("greeted").is_empty());

    // The same session, with a host that keeps everything.
    let cx = TestContext::new().with_session(cx.session().clone()).with_value(Greeting("Good day"));
    let output = toolbox.call_with("greet", r#"{"name":"Grace"}"#, &cx).await;
    expect(output.clone()).is_success().contains("Good day");
    assert_eq!(output.details().unwrap()[Notes::KEY], json!(["Ada", "Grace"]));

    cx.cancel();
    expect(toolbox.call_with("idle", "{}", &cx).await).is_error().has_text("Operation aborted");
}

/// Remove something.
#[pi_tool(handle = Remove, register = false, confirm = "Remove {what}?")]
async fn remove(
    /// What.
    what: String,
) -> String {
    format!("removed {what}")
}

#[tokio::test]
async fn questions_are_answered_in_their_order() {
    let toolbox = Toolbox::builder().tool(Remove).build().unwrap();
    let host = ScriptedHost::new().answer_confirm(false).answer_confirm(true);
    let cx = TestContext::new().with_host(host).with_call_id("9");
    let call = |what: &str| toolbox.call_with("remove", json!({ "what": what }), &cx);
    expect(call("a").await).is_error();
    expect(call("b").await).is_success().has_text("removed b");
    // Where the answers end, nobody is there.
    expect(call("c").await).is_error();
    let questions = cx.host().questions();
    assert_eq!(questions.len(), 3);
    assert_eq!(cx.host().events()[2], HostEvent::Question { call_id: "9".to_owned(), question: questions[2].clone() });
}

#[test]
fn a_host_may_be_shared() {
    let host = Arc::new(ScriptedHost::default());
    let cx = ToolContext::new().with_host(host.clone()).with_session(Session::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| cx.update("more")));
        }
    });
    assert_eq!(host.progress().len(), 400);
}

#[test]
fn an_expectation_that_fails_shows_the_output() {
    let gif = Image::from_bytes(b"GIF89a").unwrap();
    let output = ToolOutput::error("no such file")
        .with_details(json!({ "path": "a" }))
        .with_structured_content(json!([1]))
        .with_image(gif);
    let seen =
        "from an error:\nno such file\n[image/gif]\ndetails: {\n  \"path\": \"a\"\n}\nstructured content: [\n  1\n]";
    let expected = expect(output);
    expected.is_error().has_text("no such file").contains("such").has_images(&["image/gif"]);
    expected.has_details(json!({ "path": "a" })).has_structured_content([1]);
    assert_eq!(panic_of(|| _ = expected.is_success()), format!("expected a success {seen}"));
    assert_eq!(panic_of(|| _ = expected.has_text("no")), format!("expected the text\nno\n {seen}"));
    assert_eq!(panic_of(|| _ = expected.contains("yes")), format!("expected a text with\nyes\n {seen}"));
    assert_eq!(panic_of(|| _ = expected.has_images(&[])), format!("expected the images [] {seen}"));
    assert_eq!(panic_of(|| _ = expected.has_details(1)), format!("expected the details\n1\n {seen}"));
    let message = panic_of(|| _ = expected.has_structured_content("a"));
    assert_eq!(message, format!("expected the structured content\n\"a\"\n {seen}"));
    assert_eq!(panic_of(|| _ = expect("fine").is_error()), "expected an error from a success:\nfine");
    // What is not there is not null.
    panic_of(|| _ = expect("fine").has_details(()));
}

#[test]
fn the_tools_are_a_text() {
    let expected = r#"=== greet (Greet)

Greet someone by name.

# And

remember it.

snippet: Greet someone
guideline: Use greet for every newcomer
destructive: false
execution: sequential
timeout: 30s
session state: notes
alias: who for name
alias: nice for warm of tone

parameters: {
  "type": "object",
  "properties": {
    "name": {
      "type": "string",
      "description": "Whom to greet."
    },
    "tone": {
      "type": "string",
      "enum": [
        "warm",
        "cool"
      ],
      "description": "How.\nwarm: As to a friend.\ncool: As to a stranger."
    }
  },
  "required": [
    "name"
  ],
  "additionalProperties": false
}

output: {
  "type": "string"
}

=== idle (Idle)

Do nothing.

parameters: {
  "type": "object",
  "properties": {},
  "additionalProperties": false
}
"#;
    assert_eq!(tool_list(&toolbox()), expected);
}

/// The environment is the process's, so this test is run by [`a_file_has_the_tools`] in a process of its own.
#[test]
#[ignore = "a part of another test"]
fn a_file_is_written_when_asked_for() {
    assert_tool_list(&toolbox(), std::env::var_os("PI_TOOLS_TEST_LIST").unwrap());
}

#[test]
fn a_file_has_the_tools() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("golden/tools.txt");
    let message = panic_of(|| assert_tool_list(&toolbox(), &file));
    let accept = "if this is what models are to be told, run the test with PI_TOOLS_BLESS=1, which writes the file";
    assert!(message.starts_with(&file.display().to_string()) && message.ends_with(accept), "{message}");

    let write = |bless: &str| {
        let mut test = std::process::Command::new(std::env::current_exe().unwrap());
        test.args(["--exact", "testing::a_file_is_written_when_asked_for", "--ignored"]);
        test.env("PI_TOOLS_TEST_LIST", &file).env("PI_TOOLS_BLESS", bless).output().unwrap()
    };
    assert!(!write("0").status.success());
    assert!(!file.exists());
    let written = write("1");
    assert!(written.status.success(), "{written:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), tool_list(&toolbox()));
    assert_tool_list(&toolbox(), &file);

    // The line ends of another system.
    std::fs::write(&file, tool_list(&toolbox()).replace('\n', "\r\n")).unwrap();
    assert_tool_list(&toolbox(), &file);

    let place = file.display();
    let changed = |from: &str, to: &str| {
        std::fs::write(&file, tool_list(&toolbox()).replace(from, to)).unwrap();
        panic_of(|| assert_tool_list(&toolbox(), &file))
    };
    let line = tool_list(&toolbox()).lines().position(|line| line == "Do nothing.").unwrap() + 1;
    assert_eq!(
        changed("Do nothing.", "Do something."),
        format!(
            "the tools are not those of {place}:\nline {line}, idle (Idle):\n- Do something.\n+ Do nothing.\n{accept}"
        )
    );
    let message = changed("=== greet", "=== great");
    assert!(message.contains("\nline 1:\n- === great (Greet)\n+ === greet (Greet)\n"), "{message}");
    std::fs::write(&file, tool_list(&toolbox()).trim_end()).unwrap();
    let message = panic_of(|| assert_tool_list(&toolbox(), &file));
    assert!(message.contains("the end of the last line"), "{message}");
    std::fs::write(&file, "").unwrap();
    let message = panic_of(|| assert_tool_list(&toolbox(), &file));
    assert!(message.contains("line 1:\n+ === greet (Greet)\n"), "{message}");
}
