//! What the attribute says of a tool.

use super::{JAVASCRIPT, is_name, listed};
use crate::args::Set;
use crate::builtins::BUILTINS;
use crate::errors::Errors;
use crate::model::{Argument, ToolModel};

/// Whether the name is known: the function's own is not when another was given that cannot be read.
fn has_name(model: &ToolModel<'_>) -> bool {
    let unreadable = |key: &str, is_read: bool| model.typed.has(key) && !is_read;
    let no_builtin = model.typed.overrides.is_some() && model.typed.name.is_none() && model.builtin().is_none();
    !unreadable("name", model.typed.name.is_some())
        && !unreadable("overrides", model.typed.overrides.is_some())
        && !no_builtin
}

pub(super) fn name(model: &ToolModel<'_>, errors: &mut Errors) {
    let name = model.name.value();
    if !has_name(model) {
        return;
    }
    if name.is_empty() {
        errors.push(&model.name, "the name is empty: write one, or leave `name` out");
    } else if !is_name(&name, "-") {
        errors.push(
            &model.name,
            format!("`{name}` cannot be a tool's name: write 1 to 64 of `A-Z a-z 0-9 _ -`, the first a letter or `_`"),
        );
    } else if JAVASCRIPT.contains(&name.as_str()) {
        errors.push(&model.name, format!("`{name}` cannot be a tool's name: every JavaScript object has a property of this name, and Pi crashes on it: write another"));
    }
}

pub(super) fn descriptions(model: &ToolModel<'_>, errors: &mut Errors) {
    let empty = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
    if empty(&model.description.text) {
        match &model.typed.description {
            Some(description) => {
                errors.push(&description.value, "the description is empty: write what the tool does");
            }
            None if model.typed.has("description") => {}
            None => errors.push(
                &model.function.signature.ident,
                "a tool needs a description: write a doc comment, `/// What it does.`",
            ),
        }
    }
    for argument in model.arguments() {
        if empty(&argument.doc.text) && !argument.is_flattened && !argument.is_described() {
            let name = argument.name.value();
            errors.push(
                argument.field,
                format!("`{name}` needs a description: write a doc comment before it, `/// What it is.`"),
            );
        }
    }
}

/// Texts that say nothing.
pub(super) fn texts(model: &ToolModel<'_>, errors: &mut Errors) {
    let typed = &model.typed;
    let texts = [&typed.label, &typed.confirm, &typed.namespace, &typed.render_call, &typed.render_result];
    for Set { key, value } in texts.into_iter().flatten() {
        if value.value().trim().is_empty() {
            errors.push(value, format!("`{key}` is empty: write a text, or leave it out"));
        }
    }
}

pub(super) fn snippet(model: &ToolModel<'_>, errors: &mut Errors) {
    let Some(Set { value: snippet, .. }) = &model.typed.prompt_snippet else { return };
    let text = snippet.value();
    if text.trim().is_empty() {
        errors.push(snippet, "the snippet is empty: write one line, or leave `prompt_snippet` out");
    } else if text.contains('\n') {
        errors.push(snippet, "the snippet is one line of a list: write it without a line end");
    }
}

pub(super) fn guidelines(model: &ToolModel<'_>, errors: &mut Errors) {
    let name = model.name.value();
    let mut seen = Vec::new();
    for guideline in model.typed.guidelines.iter().flat_map(|set| &set.value) {
        let text = guideline.value().trim().to_owned();
        if text.is_empty() {
            errors.push(guideline, "the guideline is empty: write a rule, or leave it out");
        } else if seen.contains(&text) {
            errors.push(guideline, "the guideline is given twice: keep one of them");
        } else if text.to_lowercase().contains("this tool") {
            errors.push(guideline, format!("the model reads the guideline among the rules of all tools, so it cannot know which is \"this tool\": write `{name}`"));
        } else if has_name(model) && is_name(&name, "-") && !has_word(&text, &name) {
            errors.push(guideline, format!("the guideline must name the tool: the model reads it among the rules of all tools, so write `{name}`"));
        }
        seen.push(text);
    }
}

/// Whether `text` has `name` with no letter, digit, `_` or `-` around it.
fn has_word(text: &str, name: &str) -> bool {
    let inside = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    !name.is_empty()
        && text
            .match_indices(name)
            .any(|(start, _)| !text[..start].ends_with(inside) && !text[start + name.len()..].starts_with(inside))
}

pub(super) fn state_is_sequential(model: &ToolModel<'_>, errors: &mut Errors) {
    if let Some(execution) = &model.typed.execution
        && execution.value == "Parallel"
        && model.states().next().is_some()
    {
        errors.push(&execution.key, "a tool with `&mut` state is sequential: remove `execution`");
    }
}

pub(super) fn annotations(model: &ToolModel<'_>, errors: &mut Errors) {
    if let (Some(read_only), Some(destructive)) = (&model.typed.read_only, &model.typed.destructive)
        && read_only.value
        && destructive.value
    {
        errors.push(&destructive.key, "a tool that is `read_only` destroys nothing: remove one of the two");
    }
}

pub(super) fn limits(model: &ToolModel<'_>, errors: &mut Errors) {
    let keeps_everything = model.typed.truncate.as_ref().is_some_and(|truncate| truncate.value == "None");
    for limit in [&model.typed.max_lines, &model.typed.max_bytes].into_iter().flatten() {
        if keeps_everything {
            errors.push(&limit.key, format!("nothing is cut with `truncate = \"none\"`: remove `{}`", limit.key));
        } else if limit.value.base10_digits() == "0" {
            errors.push(&limit.value, format!("`{}` is at least 1: `truncate = \"none\"` keeps everything", limit.key));
        }
    }
}

/// Whether the names of all arguments are known: those of a flattened one are in its type.
pub(super) fn knows_arguments(model: &ToolModel<'_>) -> bool {
    model.function.parameters.len() == model.function.signature.inputs.len()
        && model.arguments().all(|argument| !argument.is_flattened && !argument.has_unreadable_name())
}

pub(super) fn overrides(model: &ToolModel<'_>, errors: &mut Errors) {
    let Some(Set { value: overrides, .. }) = &model.typed.overrides else { return };
    let Some(builtin) = model.builtin() else {
        let names = listed(BUILTINS.iter().map(|builtin| builtin.name));
        errors.push(overrides, format!("`{}` is no built-in tool of Pi: write one of {names}", overrides.value()));
        return;
    };
    if let Some(name) = &model.typed.name
        && name.value.value() != builtin.name
    {
        errors.push(&name.value, format!("a tool that overrides `{}` has its name: remove `name`", builtin.name));
    }
    let flattened = model.arguments().find(|argument| argument.is_flattened);
    if let Some(Set { key, .. }) = flattened.and_then(|argument| argument.typed.flatten.as_ref()) {
        errors.push(
            key,
            format!("the arguments of `{}` are checked by their names: write them as parameters", builtin.name),
        );
    }
    if !knows_arguments(model) {
        return;
    }
    // A parameter with `#[cfg]` is not always there.
    let covers = |argument: &Argument<'_>, name: &str| argument.cfgs.is_empty() && argument.name.value() == name;
    let is_missing = |name: &&&str| !model.arguments().any(|argument| covers(argument, name));
    let missing: Vec<_> = builtin.arguments.iter().filter(is_missing).collect();
    if !missing.is_empty() {
        errors.push(
            overrides,
            format!(
                "the built-in `{}` takes {}, which this tool lacks: add what is missing",
                builtin.name,
                listed(missing)
            ),
        );
    }
}

pub(super) fn reachable(model: &ToolModel<'_>, errors: &mut Errors) {
    if let Some(register) = &model.typed.register
        && !register.value
        && !model.typed.has("handle")
    {
        errors.push(&register.key, "nothing can reach a tool that is not registered: add `handle = Name`");
    }
}
