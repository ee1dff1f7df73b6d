//! The rules: one function each. They read the model, report, and change nothing.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprLit, GenericParam, Lit, ReturnType, Safety, Token, Type};

use crate::args::Set;
use crate::bounds::Number;
use crate::builtins::BUILTINS;
use crate::errors::Errors;
use crate::model::{Reference, ToolModel};

const RULES: &[fn(&ToolModel<'_>, &mut Errors)] = &[
    free_function,
    body,
    name,
    descriptions,
    snippet,
    guidelines,
    argument_names,
    argument_types,
    references,
    conditions,
    forwarded,
    flattened,
    defaults,
    ambient_attributes,
    state_is_sequential,
    annotations,
    limits,
    templates,
    overrides,
    reachable,
];

pub(crate) fn check(model: &ToolModel<'_>, errors: &mut Errors) {
    for rule in RULES {
        rule(model, errors);
    }
}

fn free_function(model: &ToolModel<'_>, errors: &mut Errors) {
    let signature = &model.function.signature;
    if signature.generics.params.iter().any(|parameter| !matches!(parameter, GenericParam::Lifetime(_))) {
        errors.push(&signature.generics, "a tool cannot be generic: its arguments need one schema");
    } else if !signature.generics.params.is_empty() {
        errors.push(&signature.generics, "a tool has no lifetimes: write `&T`, and an owned type as the result");
    }
    if !matches!(signature.safety, Safety::Default) {
        errors.push(&signature.safety, "a tool is safe to call with whatever a model sends: remove the keyword");
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
        errors.push(ty, "a tool returns a named type: write it in place of `impl`, and `async fn` for a future");
    }
}

fn body(model: &ToolModel<'_>, errors: &mut Errors) {
    if !model.function.has_body() {
        errors.push(&model.function.body, "a tool needs a body: write `{ .. }`");
    }
}

/// JavaScript's object property names: Pi looks tools up in a plain object, and crashes on one of these.
pub(crate) const JAVASCRIPT: [&str; 12] = [
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
    if model.label.value().trim().is_empty() {
        errors.push(&model.label, "the label is empty: write a name, or leave `label` out");
    }
    let empty = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
    if empty(&model.description.text) {
        errors.push(
            &model.function.signature.ident,
            "a tool needs a description: write a doc comment, `/// What it does.`",
        );
    }
    for argument in model.arguments() {
        if empty(&argument.doc.text) && !argument.is_flattened && !describes(argument.forwarded) {
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
    let Some(Set { value: snippet, .. }) = &model.typed.prompt_snippet else { return };
    let text = snippet.value();
    if text.trim().is_empty() {
        errors.push(snippet, "the snippet is empty: write one line, or leave `prompt_snippet` out");
    } else if text.contains('\n') {
        errors.push(snippet, "the snippet is one line of a list: write it without a line end");
    }
}

fn guidelines(model: &ToolModel<'_>, errors: &mut Errors) {
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
        } else if !has_word(&text, &name) {
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

fn argument_names(model: &ToolModel<'_>, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for argument in model.arguments().filter(|argument| !argument.is_flattened) {
        let name = argument.name.value();
        let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if !starts || !name.chars().all(word) || name.len() > 64 {
            errors.push(
                &argument.name,
                format!(
                    "`{name}` cannot be an argument's name: write 1 to 64 of `A-Z a-z 0-9 _`, the first a letter or `_`"
                ),
            );
        }
        if seen.contains(&name) {
            errors.push(&argument.name, format!("`{name}` is the name of another argument: write one that is free"));
        }
        seen.push(name);
    }
    for alias in model.arguments().flat_map(|argument| &argument.typed.aliases) {
        let text = alias.value();
        if text.is_empty() {
            errors.push(alias, "an alias cannot be empty");
        } else if seen.contains(&text) {
            errors
                .push(alias, format!("`{text}` is the name or the alias of another argument: write one that is free"));
        }
        seen.push(text);
    }
}

fn argument_types(model: &ToolModel<'_>, errors: &mut Errors) {
    if model.arguments().count() > 128 {
        errors.push(&model.function.signature.ident, "a tool takes at most 128 arguments: put some into a struct");
    }
    for argument in model.arguments() {
        if let Type::ImplTrait(ty) = argument.ty {
            errors.push(ty, "an argument needs one type that it decodes into: write it in place of `impl`");
        } else if let Type::Path(path) = argument.ty
            && path.path.segments.last().is_some_and(|segment| segment.ident == "ToolContext")
        {
            errors.push(argument.ty, "the context is the host's: write `&ToolContext`");
        } else if has_reference(argument.ty.to_token_stream()) {
            errors.push(
                argument.ty,
                "the model's arguments are owned values: write the type without `&`, as `String` for `&str`",
            );
        }
    }
}

fn has_reference(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '&',
        TokenTree::Group(group) => has_reference(group.stream()),
        _ => false,
    })
}

fn flattened(model: &ToolModel<'_>, errors: &mut Errors) {
    for argument in model.arguments().filter(|argument| argument.is_flattened) {
        if let Some(flatten) = &argument.typed.flatten
            && model.arguments().count() > 1
        {
            errors.push(&flatten.key, "a flattened argument is all of the arguments: move the others into its type");
        }
        let typed = argument.typed;
        let others = [
            typed.aliases.first().map(ToTokens::to_token_stream),
            typed.default.as_ref().map(|set| set.key.to_token_stream()),
            typed.range.as_ref().map(|set| set.key.to_token_stream()),
            typed.length.as_ref().map(|set| set.key.to_token_stream()),
            typed.pattern.as_ref().map(|set| set.key.to_token_stream()),
            typed.examples.as_ref().map(|set| set.key.to_token_stream()),
            typed.rename.as_ref().map(|set| set.key.to_token_stream()),
            typed.mutates.as_ref().map(|set| set.key.to_token_stream()),
            argument.forwarded.first().map(ToTokens::to_token_stream),
        ];
        for other in others.into_iter().flatten() {
            errors.push(
                other,
                "a flattened argument has no name and no value of its own: write it on a field of its type",
            );
        }
    }
}

fn defaults(model: &ToolModel<'_>, errors: &mut Errors) {
    for argument in model.arguments() {
        let Some(Set { value: default, .. }) = &argument.typed.default else { continue };
        if let Some(bounds) = &argument.range
            && let Some(number) = Number::read(default)
            && !bounds.allows(number.value())
        {
            errors.push(default, "the default is outside of the range: write one that the range allows");
        }
        if let Some(bounds) = &argument.length
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = default
            && u32::try_from(text.value().chars().count()).is_ok_and(|length| !bounds.allows(length.into()))
        {
            errors.push(default, "the default is not of the length: write one that the length allows");
        }
    }
}

fn references(model: &ToolModel<'_>, errors: &mut Errors) {
    for Reference { target, lifetime, .. } in model.ambients().chain(model.states()) {
        match target {
            Type::ImplTrait(ty) => {
                errors.push(ty, "the application provides a value of one type: write it in place of `impl`");
            }
            Type::TraitObject(ty) => errors.push(
                ty,
                format!(
                    "the application provides a value of one type: write `&Arc<{}>`, and provide an `Arc`",
                    ty.to_token_stream()
                ),
            ),
            _ => {}
        }
        if let Some(lifetime) = lifetime {
            errors.push(lifetime, "the value lives as long as the call: remove the lifetime");
        }
    }
}

/// A combination of them is compiled for each.
fn conditions(model: &ToolModel<'_>, errors: &mut Errors) {
    let conditional: Vec<_> = model.function.parameters.iter().filter(|parameter| !parameter.cfgs.is_empty()).collect();
    if let Some(sixth) = conditional.get(5) {
        errors.push(&sixth.cfgs[0], "at most 5 parameters can have a `#[cfg]`: put some into a struct");
    }
}

fn forwarded(model: &ToolModel<'_>, errors: &mut Errors) {
    for attribute in model.arguments().flat_map(|argument| argument.forwarded) {
        if !attribute.path().is_ident("serde") {
            continue;
        }
        let unsuitable = [("alias", "`#[arg(alias = \"..\")]`"), ("flatten", "`#[arg(flatten)]`")];
        // What serde does not understand, serde reports.
        let _ = attribute.parse_nested_meta(|meta| {
            for (key, instead) in unsuitable {
                if meta.path.is_ident(key) {
                    errors.push(&meta.path, format!("hosts do not know serde's `{key}`: write {instead}"));
                }
            }
            if meta.input.peek(Token![=]) {
                meta.value()?.parse::<Expr>()?;
            } else if meta.input.peek(syn::token::Paren) {
                meta.parse_nested_meta(|_| Ok(()))?;
            }
            Ok(())
        });
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
    if let Some(execution) = &model.typed.execution
        && execution.value == "Parallel"
        && model.states().next().is_some()
    {
        errors.push(&execution.key, "a tool with `&mut` state is sequential: remove `execution`");
    }
}

fn annotations(model: &ToolModel<'_>, errors: &mut Errors) {
    if let (Some(read_only), Some(destructive)) = (&model.typed.read_only, &model.typed.destructive)
        && read_only.value
        && destructive.value
    {
        errors.push(&destructive.key, "a tool that is `read_only` destroys nothing: remove one of the two");
    }
}

fn limits(model: &ToolModel<'_>, errors: &mut Errors) {
    for limit in [&model.typed.max_lines, &model.typed.max_bytes].into_iter().flatten() {
        if limit.value.base10_digits() == "0" {
            errors.push(&limit.value, format!("`{}` is at least 1: `truncate = \"none\"` keeps everything", limit.key));
        }
    }
    if let Some(truncate) = &model.typed.truncate
        && truncate.value == "None"
    {
        for limit in [&model.typed.max_lines, &model.typed.max_bytes].into_iter().flatten() {
            errors.push(&limit.key, format!("nothing is cut with `truncate = \"none\"`: remove `{}`", limit.key));
        }
    }
}

/// The texts whose placeholders are arguments.
fn templates(model: &ToolModel<'_>, errors: &mut Errors) {
    if model.arguments().any(|argument| argument.is_flattened) {
        // The names are in the type.
        return;
    }
    let names: Vec<String> = model.arguments().map(|argument| argument.name.value()).collect();
    for Set { key, value: template } in [&model.typed.confirm, &model.typed.render_call].into_iter().flatten() {
        match placeholders(&template.value()) {
            None => {
                errors
                    .push(template, format!("`{key}` has a brace without its other: write `{{{{` for a brace itself"));
            }
            Some(placeholders) => {
                for placeholder in placeholders.iter().filter(|placeholder| !names.contains(placeholder)) {
                    let known = names.iter().map(|name| format!("`{{{name}}}`")).collect::<Vec<_>>().join(", ");
                    let known =
                        if known.is_empty() { "there is none".to_owned() } else { format!("write one of {known}") };
                    errors.push(template, format!("`{{{placeholder}}}` is no argument of the tool: {known}"));
                }
            }
        }
    }
}

/// The names between braces, without their styles; `None` when a brace has no other.
fn placeholders(template: &str) -> Option<Vec<String>> {
    let text = template.replace("{{", "").replace("}}", "");
    let mut parts = text.split('{');
    if parts.next()?.contains('}') {
        return None;
    }
    parts
        .map(|part| {
            let (name, rest) = part.split_once('}')?;
            let name = name.split_once(':').map_or(name, |(name, _)| name);
            (!rest.contains('}')).then(|| name.to_owned())
        })
        .collect()
}

fn overrides(model: &ToolModel<'_>, errors: &mut Errors) {
    let Some(Set { value: overrides, .. }) = &model.typed.overrides else { return };
    let Some(builtin) = model.builtin() else {
        let names: Vec<String> = BUILTINS.iter().map(|builtin| format!("`{}`", builtin.name)).collect();
        errors.push(
            overrides,
            format!("`{}` is no built-in tool of Pi: write one of {}", overrides.value(), names.join(", ")),
        );
        return;
    };
    if let Some(name) = &model.typed.name
        && name.value.value() != builtin.name
    {
        errors.push(&name.value, format!("a tool that overrides `{}` has its name: remove `name`", builtin.name));
    }
    if model.arguments().any(|argument| argument.is_flattened) {
        return;
    }
    let missing: Vec<String> = builtin
        .arguments
        .iter()
        .filter(|name| model.arguments().all(|argument| argument.name.value() != **name))
        .map(|name| format!("`{name}`"))
        .collect();
    if !missing.is_empty() {
        errors.push(
            overrides,
            format!(
                "the built-in `{}` takes {}, which this tool lacks: add what is missing",
                builtin.name,
                missing.join(", ")
            ),
        );
    }
}

fn reachable(model: &ToolModel<'_>, errors: &mut Errors) {
    if let Some(register) = &model.typed.register
        && !register.value
        && model.typed.handle.is_none()
    {
        errors.push(&register.key, "nothing can reach a tool that is not registered: add `handle = Name`");
    }
}
