//! The rules: one function each. They read the model, report, and change nothing.

use quote::ToTokens;
use syn::{LitStr, ReturnType, Type};

use crate::args::keys::Execution;
use crate::errors::Errors;
use crate::model::ToolModel;

const RULES: &[fn(&ToolModel<'_>, &mut Errors)] = &[
    free_function,
    name,
    descriptions,
    snippet,
    guidelines,
    argument_names,
    argument_types,
    ambient_attributes,
    state_is_sequential,
    reachable,
];

pub(crate) fn check(model: &ToolModel<'_>, errors: &mut Errors) {
    for rule in RULES {
        rule(model, errors);
    }
}

fn free_function(model: &ToolModel<'_>, errors: &mut Errors) {
    let signature = &model.function.signature;
    if !signature.generics.params.is_empty() {
        errors.push(&signature.generics, "a tool cannot be generic: its arguments need one schema");
    }
    if let Some(constness) = &signature.constness {
        errors.push(constness, "a tool cannot be `const`: remove it");
    }
    if let Some(abi) = &signature.abi {
        errors.push(abi, "a tool cannot be `extern`: remove it");
    }
    if let Some(variadic) = &signature.variadic {
        errors.push(variadic, "a tool cannot be variadic: take a `Vec<T>`");
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && let Type::ImplTrait(ty) = &**ty
    {
        errors.push(ty, "a tool returns a named type: write `async fn` instead of `impl Future`");
    }
}

/// JavaScript's object property names: Pi looks tools up in a plain object, and crashes on one of these.
const JAVASCRIPT: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

fn name(model: &ToolModel<'_>, errors: &mut Errors) {
    let name = model.name.value();
    let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if !starts || !name.chars().all(word) || name.len() > 64 {
        errors.push(
            &model.name,
            format!("`{name}` cannot be a tool's name: write 1 to 64 of `A-Z a-z 0-9 _ -`, the first a letter or `_`"),
        );
    }
    if JAVASCRIPT.contains(&name.as_str()) {
        errors.push(&model.name, format!("`{name}` cannot be a tool's name: every JavaScript object has a property of this name, and Pi crashes on it"));
    }
}

fn descriptions(model: &ToolModel<'_>, errors: &mut Errors) {
    let empty = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
    if empty(&model.description.text) {
        errors.push(
            &model.function.signature.ident,
            "a tool needs a description: write a doc comment, `/// What it does.`",
        );
    }
    for argument in model.arguments() {
        if empty(&argument.doc.text) && !describes(argument.forwarded) {
            errors.push(
                argument.field,
                format!(
                    "`{}` needs a description: write a doc comment before it, `/// What it is.`",
                    argument.name.value()
                ),
            );
        }
    }
}

/// Whether `#[schemars(description = ..)]` is there.
fn describes(attributes: &[syn::Attribute]) -> bool {
    let mentions = |attribute: &syn::Attribute| attribute.to_token_stream().to_string().contains("description");
    attributes.iter().any(|attribute| attribute.path().is_ident("schemars") && mentions(attribute))
}

fn snippet(model: &ToolModel<'_>, errors: &mut Errors) {
    let Some(snippet) = &model.prompt_snippet else { return };
    let text = snippet.value();
    if text.trim().is_empty() {
        errors.push(snippet, "the snippet is empty: write one line, or leave `prompt_snippet` out");
    } else if text.contains('\n') {
        errors.push(snippet, "the snippet is one line of a list: write it without a line end");
    }
}

fn guidelines(model: &ToolModel<'_>, errors: &mut Errors) {
    let name = model.name.value();
    for guideline in &model.guidelines {
        let text = guideline.value();
        if text.trim().is_empty() {
            errors.push(guideline, "the guideline is empty: write a rule, or leave it out");
        } else if !has_word(&text, &name) {
            errors.push(guideline, format!("the guideline must name the tool: the model reads it among the rules of all tools, so write `{name}`"));
        }
    }
}

/// Whether `text` has `name` with no letter, digit, `_` or `-` around it.
fn has_word(text: &str, name: &str) -> bool {
    let inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    !name.is_empty()
        && text
            .match_indices(name)
            .any(|(start, _)| !text[..start].ends_with(inside) && !text[start + name.len()..].starts_with(inside))
}

fn argument_names(model: &ToolModel<'_>, errors: &mut Errors) {
    let mut seen: Vec<String> = model.arguments().map(|argument| argument.name.value()).collect();
    let mut aliases: Vec<&LitStr> = Vec::new();
    for argument in model.arguments() {
        aliases.extend(&argument.aliases);
    }
    for alias in aliases {
        let text = alias.value();
        if seen.contains(&text) {
            errors
                .push(alias, format!("`{text}` is the name or the alias of another argument: write one that is free"));
        } else {
            seen.push(text);
        }
    }
}

fn argument_types(model: &ToolModel<'_>, errors: &mut Errors) {
    for argument in model.arguments() {
        if let Type::ImplTrait(ty) = argument.ty {
            errors.push(ty, "an argument needs one type that it decodes into: write it in place of `impl`");
        }
    }
}

fn ambient_attributes(model: &ToolModel<'_>, errors: &mut Errors) {
    for reference in model.ambients().chain(model.states()) {
        for attribute in &reference.attributes {
            errors.push(
                attribute,
                format!("`{}` is a reference, so it is no argument from the model: remove the attribute, or write an owned type", reference.name),
            );
        }
    }
}

fn state_is_sequential(model: &ToolModel<'_>, errors: &mut Errors) {
    if let Some(execution) = &model.execution
        && execution.value == Execution::Parallel
        && model.states().next().is_some()
    {
        errors.push(&execution.key, "a tool with `&mut` state is sequential: remove `execution`");
    }
}

fn reachable(model: &ToolModel<'_>, errors: &mut Errors) {
    if !model.register.value && model.handle.is_none() {
        errors.push(&model.register.key, "nothing can reach a tool that is not registered: add `handle = Name`");
    }
}
