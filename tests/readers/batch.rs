//! What Pi's agent loop makes of the calls of a message: scenarios with scripted tools and hooks.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pi_tools::schemars::{JsonSchema, Schema, SchemaGenerator};
use pi_tools::{
    Batch, BatchEvent, BatchOutput, CancellationToken, Content, Decision, Execution, Hook, Rename, Tool, ToolCall,
    ToolContext, ToolError, ToolOutput, ToolRef, ToolSpec, Toolbox,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::equal;

pub(crate) fn scenario(case: &Value) -> Result<(), String> {
    let scenario = &case["scenario"];
    known("the scenario", scenario, SCENARIO)?;
    list(&scenario["calls"]).try_for_each(|call| known("a call", call, &["id", "name", "arguments"]))?;
    let scene = Scene::default();
    let toolbox = match toolbox(scenario, &scene)? {
        Ok(toolbox) => toolbox,
        // Two tools of one name are refused here.
        Err(refused) if case["js_only"] == true && refused.contains("two tools have the name") => return Ok(()),
        Err(refused) => return Err(refused),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (output, mut events) = runtime.block_on(run(scenario, &toolbox, &scene))?;
    let requests = if output.terminate { 1 } else { 2 };
    events.extend(vec![json!(["turn_end"]); requests]);
    events.push(json!(["agent_end"]));
    let results: Vec<Value> = output.results.iter().map(|result| without_time(result.to_message())).collect();
    let got = json!({
        "results": results,
        "events": events,
        "log": *scene.log.lock().unwrap(),
        "llm_requests": requests,
        "stored_arguments": "unchanged",
    });
    if let Some(fault) = scene.fault.lock().unwrap().take() {
        return Err(fault);
    }
    let expected = &case["expected"];
    for part in ["results", "events", "log", "llm_requests", "stored_arguments"] {
        if got[part] != expected[part] {
            equal(&format!("{part} {}", got[part]), &format!("{part} {}", expected[part]))?;
        }
    }
    Ok(())
}

const SCENARIO: &[&str] = &["tools", "calls", "before", "after", "toolExecution", "stopReason", "abort_on", "settle"];

async fn run(scenario: &Value, toolbox: &Toolbox, scene: &Scene) -> Result<(BatchOutput, Vec<Value>), String> {
    let calls: Vec<ToolCall<'_>> = list(&scenario["calls"])
        .map(|call| ToolCall::new(text(&call["id"]), text(&call["name"]), call["arguments"].clone()))
        .collect();
    let abort_on = (text(&scenario["abort_on"][0]), text(&scenario["abort_on"][1]));
    if !["", "tool_execution_start", "tool_execution_update", "tool_execution_end"].contains(&abort_on.0) {
        return Err(format!("unknown event {}", abort_on.0));
    }
    let mut batch = Batch::new();
    if scenario["toolExecution"] == "sequential" {
        batch = batch.execution(Execution::Sequential);
    }
    if scenario.get("before").is_some() || scenario.get("after").is_some() {
        batch = batch.hook(Scripted { scenario: scenario.clone(), scene: scene.clone() });
    }
    let cx = ToolContext::new().with_cancellation(scene.token.clone());
    let events = Mutex::new(Vec::new());
    let tell = |event: BatchEvent<'_>| {
        let (kind, id, event) = told(event);
        events.lock().unwrap().push(event);
        if (kind, &*id) == abort_on {
            scene.token.cancel();
        }
    };
    let output = if scenario["stopReason"] == "length" {
        Batch::answer_cut(&calls, tell)
    } else {
        batch.run(toolbox, &calls, &cx, tell).await
    };
    tokio::time::sleep(Duration::from_millis(scenario["settle"].as_u64().unwrap_or_default())).await;
    Ok((output, events.into_inner().unwrap()))
}

/// Pi's name of an event, the call's id, and the event as the scenarios write it.
fn told(event: BatchEvent<'_>) -> (&'static str, String, Value) {
    match event {
        BatchEvent::Start { call } => {
            let arguments: Value = serde_json::from_str(call.arguments.as_str()).unwrap();
            ("tool_execution_start", call.id.to_string(), json!(["start", call.id, arguments]))
        }
        BatchEvent::Update { call, output } => {
            ("tool_execution_update", call.id.to_string(), json!(["update", call.id, output]))
        }
        BatchEvent::End { result } => {
            let event = json!(["end", result.call_id, result.output.is_error(), result.duration.is_some()]);
            ("tool_execution_end", result.call_id.clone(), event)
        }
        BatchEvent::Message { result } => ("", result.call_id.clone(), json!(["result", result.call_id])),
        unknown => panic!("unknown event {unknown:?}"),
    }
}

fn without_time(mut message: Value) -> Value {
    let duration = message.as_object_mut().unwrap().remove("durationMs");
    message["has_durationMs"] = duration.is_some().into();
    message
}

/// What the tools and hooks of a scenario share.
#[derive(Clone, Default)]
struct Scene {
    log: Arc<Mutex<Vec<Value>>>,
    token: CancellationToken,
    /// What the scenario says and nobody here understands.
    fault: Arc<Mutex<Option<String>>>,
}

impl Scene {
    fn log(&self, entry: Value) {
        self.log.lock().unwrap().push(entry);
    }

    /// An output that the scenario describes: what is none in Rust counts as nothing, as in Pi.
    fn output(&self, of: &Value) -> ToolOutput {
        self.patched(ToolOutput::text("").with_content([]), of)
    }

    fn patched(&self, mut output: ToolOutput, patch: &Value) -> ToolOutput {
        if let Some(content) = patch.get("content").filter(|content| !content.is_null()) {
            match serde_json::from_value::<Vec<Content>>(content.clone()) {
                Ok(content) => output = output.with_content(content),
                Err(error) => self.fail(format!("the content {content}: {error}")),
            }
        }
        if let Some(details) = patch.get("details") {
            output = output.with_details(details.clone());
        }
        if let Some(usage) = patch.get("usage") {
            output = output.with_usage(usage.clone());
        }
        if let Some(is_error) = patch.get("isError") {
            output = output.with_is_error(*is_error == true);
        }
        if let Some(terminate) = patch.get("terminate") {
            output = output.with_terminate(*terminate == true);
        }
        output
    }

    fn fail(&self, fault: String) {
        *self.fault.lock().unwrap() = Some(fault);
    }
}

/// The hooks of a scenario, by the ids of calls.
struct Scripted {
    scenario: Value,
    scene: Scene,
}

impl Scripted {
    /// Does what both kinds of hooks may do, and has the rest.
    async fn play(&self, kind: &str, cx: &ToolContext) -> Result<&Value, ToolError> {
        let script = &self.scenario[kind][cx.call_id()];
        if let Err(fault) = known("the hook", script, &["result", "throw", "throw_value", "mutate", "abort", "sleep"]) {
            self.scene.fail(fault);
        }
        if script["abort"] == true {
            self.scene.token.cancel();
        }
        tokio::time::sleep(Duration::from_millis(script["sleep"].as_u64().unwrap_or_default())).await;
        match script.get("throw").or(script.get("throw_value")) {
            Some(thrown) => Err(ToolError::new(as_javascript(thrown))),
            None => Ok(script),
        }
    }
}

impl Hook for Scripted {
    async fn before(&self, _: ToolRef<'_>, arguments: &mut Value, cx: &ToolContext) -> Result<Decision, ToolError> {
        if self.scenario.get("before").is_none() {
            return Ok(Decision::Run);
        }
        self.scene.log(json!(["before", cx.call_id(), arguments]));
        let script = self.play("before", cx).await?;
        for (name, value) in script["mutate"].as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        let result = &script["result"];
        let (reason, terminate) = (text(&result["reason"]).to_owned(), result["terminate"] == true);
        Ok(if result["block"] == true { Decision::Block { reason, terminate } } else { Decision::Run })
    }

    async fn after(
        &self,
        _: ToolRef<'_>,
        _: &Value,
        output: ToolOutput,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        if self.scenario.get("after").is_none() {
            return Ok(output);
        }
        self.scene.log(json!(["after", cx.call_id(), output.is_error()]));
        let script = self.play("after", cx).await?;
        Ok(self.scene.patched(output, &script["result"]))
    }
}

/// The tools of a scenario, or why a toolbox refuses them.
fn toolbox(scenario: &Value, scene: &Scene) -> Result<Result<Toolbox, String>, String> {
    let tools: Vec<&Value> = list(&scenario["tools"]).collect();
    PREPARES.set(tools.iter().map(|tool| tool["prepare"].clone()).collect());
    let mut builder = Toolbox::builder();
    for (index, tool) in tools.iter().enumerate() {
        known("a tool", tool, &["name", "script", "parameters", "prepare", "executionMode"])?;
        builder = builder.tool(Fake { spec: spec(index, tool)?, script: tool["script"].clone(), scene: scene.clone() });
    }
    let toolbox = match builder.build() {
        Ok(toolbox) => toolbox,
        Err(error) => return Ok(Err(error.to_string())),
    };
    // A schema belongs to a type, and all these tools have one type: each is generated while it is the scenario's.
    for tool in tools {
        let parameters = tool.get("parameters").cloned().unwrap_or_else(|| json!({ "type": "object" }));
        PARAMETERS.set(parameters);
        toolbox.get(text(&tool["name"])).unwrap().parameters().map_err(ToString::to_string)?;
    }
    Ok(Ok(toolbox))
}

fn spec(index: usize, tool: &Value) -> Result<&'static ToolSpec, String> {
    let name: &'static str = text(&tool["name"]).to_owned().leak();
    let mut spec = ToolSpec::new(name, name, "A tool of a scenario.");
    match tool.get("executionMode").map(text) {
        None => {}
        Some("sequential") => spec = spec.execution(Execution::Sequential),
        Some("parallel") => spec = spec.execution(Execution::Parallel),
        Some(unknown) => return Err(format!("unknown executionMode {unknown}")),
    }
    let prepare = &tool["prepare"];
    known("prepare", prepare, &["rename", "return", "throw"])?;
    if let [from, to] = prepare["rename"].as_array().map_or(&[][..], Vec::as_slice) {
        let rename = Rename { from: text(from).to_owned().leak(), to: text(to).to_owned().leak() };
        spec = spec.renames(vec![rename].leak());
    } else {
        // Also where it does nothing: this type decodes anything, and only who prepares is always checked.
        let functions = [prepare_of::<0>, prepare_of::<1>, prepare_of::<2>, prepare_of::<3>, prepare_of::<4>];
        spec = spec.prepare(*functions.get(index).ok_or("too many tools")?);
    }
    Ok(Box::leak(Box::new(spec)))
}

thread_local! {
    static PARAMETERS: RefCell<Value> = RefCell::default();
    static PREPARES: RefCell<Vec<Value>> = RefCell::default();
}

/// What the tool at this place does to its arguments. It is a function without data, so it has one of its own.
fn prepare_of<const TOOL: usize>(arguments: Value) -> Result<Value, ToolError> {
    PREPARES.with_borrow(|prepares| match prepares[TOOL].get("throw") {
        Some(thrown) => Err(ToolError::new(as_javascript(thrown))),
        None => Ok(prepares[TOOL].get("return").cloned().unwrap_or(arguments)),
    })
}

struct Fake {
    spec: &'static ToolSpec,
    script: Value,
    scene: Scene,
}

/// Any arguments.
#[derive(Deserialize)]
struct Arguments(Value);

impl JsonSchema for Arguments {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Arguments".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::try_from(PARAMETERS.with_borrow(Clone::clone)).unwrap()
    }
}

impl Tool for Fake {
    type Arguments = Arguments;
    type State = ();

    fn spec(&self) -> &'static ToolSpec {
        self.spec
    }

    async fn call(
        &self,
        Arguments(arguments): Arguments,
        (): &mut (),
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        self.scene.log(json!(["execute", cx.call_id(), arguments]));
        let mut output = self.scene.output(&Value::Null);
        for step in list(&self.script) {
            let (kind, with) = step.as_object().and_then(|step| step.iter().next()).unwrap();
            match kind.as_str() {
                "update" => cx.update(self.scene.output(with)),
                "late_update" => {
                    let (cx, late) = (cx.clone(), self.scene.output(with));
                    tokio::spawn(async move {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                        cx.update(late);
                    });
                }
                "sleep" => tokio::time::sleep(Duration::from_millis(with.as_u64().unwrap())).await,
                "abort" => self.scene.token.cancel(),
                "check_abort" if cx.is_cancelled() => return Err(ToolError::new(text(with).to_owned())),
                "check_abort" => {}
                "throw" | "throw_value" => return Err(ToolError::new(as_javascript(with))),
                "return" => output = self.scene.output(with),
                "return_by_arg" => {
                    let text = as_javascript(&arguments[text(with)]);
                    output = ToolOutput::text(text).with_details(arguments.clone());
                }
                unknown => self.scene.fail(format!("unknown step {unknown}")),
            }
        }
        self.scene.log(json!(["settle", cx.call_id()]));
        Ok(output)
    }
}

/// `String(value)`, for plain values.
fn as_javascript(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(_) => "[object Object]".to_owned(),
        value => value.to_string(),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// That this reader knows all that is said.
fn known(what: &str, value: &Value, keys: &[&str]) -> Result<(), String> {
    match value.as_object().into_iter().flatten().find(|(key, _)| !keys.contains(&key.as_str())) {
        Some((key, _)) => Err(format!("{what} has an unknown `{key}`")),
        None => Ok(()),
    }
}
