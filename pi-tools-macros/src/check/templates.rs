//! The texts with placeholders.

use syn::LitStr;

use super::listed;
use super::tool::knows_arguments;
use crate::args::{Set, closest};
use crate::errors::Errors;
use crate::model::ToolModel;
use crate::template::{ATTRIBUTES, COLOURS, Placeholder, placeholders};

pub(super) fn confirm(model: &ToolModel<'_>, errors: &mut Errors) {
    if let Some(Set { key, value: template }) = &model.typed.confirm {
        let placeholders = read(&key.to_string(), template, errors);
        arguments(model, template, placeholders.iter().map(|placeholder| placeholder.path.as_str()), errors);
    }
}

pub(super) fn render_call(model: &ToolModel<'_>, errors: &mut Errors) {
    if let Some(Set { key, value: template }) = &model.typed.render_call {
        let placeholders = drawn(&key.to_string(), template, errors);
        // What is within an argument is known with its schema, so `verify` sees to it.
        arguments(model, template, placeholders.iter().map(Placeholder::first), errors);
    }
}

pub(super) fn render_result(model: &ToolModel<'_>, errors: &mut Errors) {
    let Some(Set { key, value: template }) = &model.typed.render_result else { return };
    for Placeholder { path, .. } in drawn(&key.to_string(), template, errors) {
        if path == "details" {
            errors.push(template, "`{details}` stands for all details: write one of them, like `{details.count}`");
        } else if path != "text" && !path.starts_with("details.") {
            let instead = if path.is_empty() { String::new() } else { format!(" or `{{details.{path}}}`") };
            errors.push(
                template,
                format!("`{{{path}}}` is neither the text of a result nor of its details: write `{{text}}`{instead}"),
            );
        }
    }
}

pub(super) fn render_lines(model: &ToolModel<'_>, errors: &mut Errors) {
    if let Some(Set { key, .. }) = &model.typed.render_lines
        && !model.typed.has("render_result")
    {
        errors.push(key, "the host draws results without a `render_result`: add `render_result = \"{text}\"`");
    }
}

/// Reads the template of something drawn.
pub(crate) fn drawn(key: &str, template: &LitStr, errors: &mut Errors) -> Vec<Placeholder> {
    let placeholders = read(key, template, errors);
    for placeholder @ Placeholder { path, .. } in &placeholders {
        if path.contains('.') && path.split('.').any(str::is_empty) {
            errors.push(template, format!("`{{{path}}}` lacks a name beside a dot: write it, or remove the dot"));
        }
        let mut colours = 0;
        for style in placeholder.styles() {
            colours += usize::from(COLOURS.contains(&style));
            if !COLOURS.contains(&style) && !ATTRIBUTES.contains(&style) {
                unknown_style(template, placeholder, style, errors);
            }
        }
        if colours > 1 {
            errors.push(template, format!("`{{{placeholder}}}` has {colours} colours: keep one of them"));
        }
    }
    placeholders
}

fn unknown_style(template: &LitStr, placeholder: &Placeholder, style: &str, errors: &mut Errors) {
    if let Some((first, _)) = style.split_once(',') {
        errors.push(template, format!("`{{{placeholder}}}` has a comma after `{first}`: separate styles with a space"));
        return;
    }
    let instead = closest(style, COLOURS.iter().chain(ATTRIBUTES).copied()).map_or_else(
        || format!("write {}, or another colour of Pi's themes", listed(COLOURS.iter().take(7).chain(ATTRIBUTES))),
        |style| format!("did you mean `{style}`?"),
    );
    errors.push(template, format!("unknown style `{style}` in `{{{placeholder}}}`: {instead}"));
}

fn read(key: &str, template: &LitStr, errors: &mut Errors) -> Vec<Placeholder> {
    placeholders(&template.value()).unwrap_or_else(|brace| {
        errors.push(
            template,
            format!("`{key}` has a `{brace}` without its other: write `{brace}{brace}` for a brace itself"),
        );
        Vec::new()
    })
}

fn arguments<'a>(
    model: &ToolModel<'_>,
    template: &LitStr,
    written: impl Iterator<Item = &'a str>,
    errors: &mut Errors,
) {
    if knows_arguments(model) {
        let names: Vec<String> = model.arguments().map(|argument| argument.name.value()).collect();
        known(template, written, &names, "argument of the tool", errors);
    }
}

/// Reports placeholders that stand for nothing.
pub(crate) fn known<'a>(
    template: &LitStr,
    written: impl Iterator<Item = &'a str>,
    names: &[String],
    what: &str,
    errors: &mut Errors,
) {
    for name in written.filter(|name| !names.iter().any(|other| other == name)) {
        let instead = if names.is_empty() {
            "it has none, so remove the placeholder".to_owned()
        } else if let Some(name) = closest(name, names.iter().map(String::as_str)) {
            format!("did you mean `{{{name}}}`?")
        } else {
            format!("write one of {}", listed(names.iter().map(|name| format!("{{{name}}}"))))
        };
        errors.push(template, format!("`{{{name}}}` is no {what}: {instead}"));
    }
}
