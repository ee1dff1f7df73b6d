//! What Pi's system prompt says of tools.

use pi_tools::Exposure;
use pi_tools::prompt::{DEFAULT_BUILTINS, Prompt, PromptSections, PromptTool, guidelines, snippet};
use pi_tools::schemars::Schema;
use serde_json::{Value, json};

use crate::equal;

pub(crate) fn prompt(case: &Value) -> Result<(), String> {
    match case["kind"].as_str().unwrap() {
        "normalize_snippet" => {
            equal(&json!(case["input"].as_str().and_then(snippet)).to_string(), &case["expected"].to_string())
        }
        "normalize_guidelines" => {
            equal(&json!(guidelines(texts(&case["input"]))).to_string(), &case["expected"].to_string())
        }
        "build" => built(&case["input"]).and_then(|sections| agrees(&sections, &case["expected"])),
        "session" => session(case),
        unknown => Err(format!("unknown kind {unknown}")),
    }
}

/// Extensions register tools, options choose among them.
fn session(case: &Value) -> Result<(), String> {
    let options = &case["options"];
    let mut prompt = match options["noTools"].as_str() {
        None => Prompt::new().builtins(DEFAULT_BUILTINS),
        Some("builtin") => Prompt::new().builtins([]),
        Some(_) => Prompt::new().builtins([]).only([]),
    };
    for extension in list(&case["extensions"]) {
        // Pi loads no extension that registers a tool without a schema.
        let is_schema = |tool: &Value| tool.get("parameters").is_none_or(|it| Schema::try_from(it.clone()).is_ok());
        if list(extension).all(is_schema) {
            prompt = prompt.extension(list(extension).map(tool));
        }
    }
    for own in list(&case["customTools"]) {
        prompt = prompt.tool(tool(own));
    }
    if options["tools"].is_array() {
        prompt = prompt.only(texts(&options["tools"]));
    }
    prompt = prompt.without(texts(&options["excludeTools"]));
    if case["setActive"].is_array() {
        prompt = prompt.activate(texts(&case["setActive"]));
    }
    let expected = &case["expected"];
    if case["js_only"] == true {
        // A fault of Pi's language, which is not copied: the tool is there like any other.
        let names = prompt.active().len();
        let registered: usize = list(&case["extensions"]).map(|extension| list(extension).count()).sum();
        return equal(&names.to_string(), &registered.to_string());
    }
    let active: Vec<&str> = prompt.active().iter().map(|tool| tool.name).collect();
    equal(&json!(active).to_string(), &expected["active"].to_string())?;
    if let Some(text) = case["systemPrompt"].as_str() {
        prompt = prompt.system_prompt(text);
    }
    let sections = prompt.cwd("/w").sections();
    if let Some(starts) = expected["starts"].as_str() {
        let text = sections.to_string();
        equal(text.get(..starts.len()).unwrap_or(&text), starts)?;
    }
    agrees(&sections, expected)
}

/// The same from the maps that Pi keeps.
fn built(input: &Value) -> Result<PromptSections, String> {
    let selected: Vec<&str> = if input["selectedTools"].is_array() {
        texts(&input["selectedTools"]).collect()
    } else {
        DEFAULT_BUILTINS.into()
    };
    let names = selected
        .iter()
        .copied()
        .chain(input["toolSnippets"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()));
    let mut prompt = names.fold(Prompt::new(), |prompt, name| {
        prompt.tool(PromptTool {
            name,
            snippet: input["toolSnippets"][name].as_str(),
            guidelines: texts(&input["toolGuidelines"][name]).collect(),
            ..PromptTool::default()
        })
    });
    prompt = prompt.only(selected).without(texts(&input["hiddenTools"]));
    prompt = texts(&input["promptGuidelines"]).fold(prompt, Prompt::rule);
    if let Some(text) = input["customPrompt"].as_str() {
        prompt = prompt.system_prompt(text);
    }
    Ok(prompt.cwd(input["cwd"].as_str().ok_or("no cwd")?).sections())
}

/// The sections that a case has an opinion about.
fn agrees(sections: &PromptSections, expected: &Value) -> Result<(), String> {
    let sections = [("tools", &sections.tools), ("rules", &sections.rules), ("cwd", &sections.cwd)];
    for (name, section) in sections {
        if let Some(expected) = expected.get(format!("{name}_section")) {
            equal(&json!(section).to_string(), &expected.to_string())?;
        }
    }
    Ok(())
}

fn tool(value: &Value) -> PromptTool<'_> {
    PromptTool {
        name: value["name"].as_str().unwrap(),
        snippet: value["promptSnippet"].as_str(),
        guidelines: texts(&value["promptGuidelines"]).collect(),
        exposure: value["exposure"].as_str().map(|exposure| match exposure {
            "direct" => Exposure::Direct,
            "model-only" => Exposure::ModelOnly,
            "codemode" => Exposure::Codemode,
            "deferred" => Exposure::Deferred,
            "hidden" => Exposure::Hidden,
            unknown => panic!("unknown exposure {unknown}"),
        }),
        default_active: value["defaultActive"].as_bool(),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    list(value).filter_map(Value::as_str)
}
