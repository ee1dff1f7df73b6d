//! What a parameter must be to be an argument, and what its attributes say.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::{Expr, ExprLit, Lit, Token, Type};

use super::{is_name, listed};
use crate::args::Set;
use crate::bounds::Number;
use crate::errors::Errors;
use crate::item::literal;
use crate::model::{Argument, ToolModel, without_group};

pub(super) fn names(model: &ToolModel<'_>, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for argument in model.arguments().filter(|argument| !argument.is_flattened && !argument.has_unreadable_name()) {
        let name = argument.name.value();
        if name.is_empty() {
            errors.push(&argument.name, "the name is empty: write one, or leave it out");
        } else if !is_name(&name, "") {
            errors.push(
                &argument.name,
                format!(
                    "`{name}` cannot be an argument's name: write 1 to 64 of `A-Z a-z 0-9 _`, the first a letter or `_`"
                ),
            );
        }
        if seen.contains(&name) {
            errors.push(&argument.name, format!("`{name}` is the name of another argument: write one that is free"));
        } else if argument.cfgs.is_empty() {
            seen.push(name);
        }
    }
    for alias in model.arguments().flat_map(|argument| &argument.typed.aliases) {
        let text = alias.value();
        if text.is_empty() {
            errors.push(alias, "the alias is empty: write the old name, or leave it out");
        } else if seen.contains(&text) {
            errors.push(alias, format!("`{text}` is taken: write a name that no argument and no other alias has"));
        }
        seen.push(text);
    }
}

pub(super) fn types(model: &ToolModel<'_>, errors: &mut Errors) {
    if model.arguments().count() > 128 {
        errors.push(&model.function.signature.ident, "a tool takes at most 128 arguments: put some into a struct");
    }
    for Argument { ty, .. } in model.arguments() {
        match without_group(ty) {
            Type::ImplTrait(ty) => {
                errors.push(ty, "an argument needs one type that it decodes into: write it in place of `impl`");
            }
            Type::Slice(ty) => errors.push(ty, "the model's arguments are owned values: write `Vec<T>`"),
            Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "ToolContext") => {
                errors.push(ty, "the context is the host's: write `&ToolContext`");
            }
            ty if has_reference(ty.to_token_stream()) => errors.push(
                ty,
                "the model's arguments are owned values: write the type without `&`, as `String` for `&str`; the context is always there, as `&ToolContext`",
            ),
            _ => {}
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

pub(super) fn flattened(model: &ToolModel<'_>, errors: &mut Errors) {
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

pub(super) fn defaults(model: &ToolModel<'_>, errors: &mut Errors) {
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

/// A key of serde or schemars on a field, and what is wrong with it on an argument.
type ForwardedKey = (&'static str, Option<&'static str>);

const FORWARDED: &[(&str, &[ForwardedKey])] = &[
    (
        "serde",
        &[
            ("alias", Some("hosts do not know serde's `alias`: write `#[arg(alias = \"..\")]`")),
            ("borrow", None),
            ("bound", None),
            ("default", None),
            ("deserialize_with", None),
            ("flatten", Some("hosts do not know serde's `flatten`: write `#[arg(flatten)]`")),
            ("rename", None),
            ("skip", Some("an argument comes from the model: remove `skip`, or the parameter")),
            (
                "skip_deserializing",
                Some("an argument comes from the model: remove `skip_deserializing`, or the parameter"),
            ),
            ("with", None),
        ],
    ),
    (
        "schemars",
        &[
            ("contains", None),
            ("default", None),
            ("description", None),
            ("email", None),
            ("example", None),
            ("extend", None),
            ("inner", None),
            ("ip", None),
            ("ipv4", None),
            ("ipv6", None),
            ("length", None),
            ("pattern", None),
            ("range", None),
            ("regex", None),
            ("required", None),
            ("schema_with", None),
            ("title", None),
            ("transform", None),
            ("url", None),
            ("with", None),
        ],
    ),
];

/// Without this rule, what the derives do not understand would be told twice: by the derive, and by the missing trait.
pub(super) fn forwarded(model: &ToolModel<'_>, errors: &mut Errors) {
    for argument in model.arguments() {
        for attribute in argument.forwarded {
            let Some((of, keys)) = FORWARDED.iter().find(|(of, _)| attribute.path().is_ident(of)) else { continue };
            let read = attribute.parse_nested_meta(|meta| {
                match keys.iter().find(|(key, _)| meta.path.is_ident(key)) {
                    Some((_, None)) => {}
                    Some((_, Some(problem))) => errors.push(&meta.path, problem),
                    None => {
                        let known = keys.iter().filter(|(_, problem)| problem.is_none()).map(|(key, _)| key);
                        let known = listed(known);
                        errors.push(
                            &meta.path,
                            format!("an argument has no such attribute of {of}: write one of {known}"),
                        );
                    }
                }
                if meta.path.is_ident("rename")
                    && let Some(rename) = &argument.typed.rename
                {
                    errors
                        .push(&rename.key, "serde's `rename` gives the argument a name already: remove one of the two");
                }
                skip_value(&meta, of, errors)
            });
            if let Err(error) = read {
                errors.push_all(error);
            }
        }
    }
}

/// Goes past `= value` or `(..)`, which are for the derive. All values of serde are texts.
fn skip_value(meta: &ParseNestedMeta<'_>, of: &str, errors: &mut Errors) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        let value: Expr = meta.value()?.parse()?;
        if of == "serde" && literal(&value).is_none() {
            let key = meta.path.to_token_stream();
            errors.push(value, format!("serde takes a text here: write `{key} = \"..\"`"));
        }
    } else if meta.input.peek(syn::token::Paren) {
        meta.input.parse::<Group>()?;
    }
    Ok(())
}

pub(super) fn attributes_of_references(model: &ToolModel<'_>, errors: &mut Errors) {
    for reference in model.ambients().chain(model.states()) {
        for attribute in &reference.attributes {
            errors.push(
                attribute,
                format!("`{}` is a reference, so it is no argument from the model: remove the attribute, or write an owned type", reference.name),
            );
        }
    }
}
