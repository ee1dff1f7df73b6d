//! What a function must be to be a tool.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericParam, ReturnType, Safety, Type};

use crate::errors::Errors;
use crate::model::{Reference, ToolModel};

pub(super) fn free_function(model: &ToolModel<'_>, errors: &mut Errors) {
    let signature = &model.function.signature;
    if signature.generics.params.iter().any(|parameter| !matches!(parameter, GenericParam::Lifetime(_))) {
        errors
            .push(&signature.generics, "a tool cannot be generic: its arguments need one schema, so write their types");
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
    if let ReturnType::Type(_, ty) = &signature.output {
        let named = "a tool returns a named type: write it in place of `impl`, and `async fn` for a future";
        match &**ty {
            Type::ImplTrait(ty) => errors.push(ty, named),
            ty => {
                if let Some(token) = opaque(ty.to_token_stream()) {
                    errors.push(token, named);
                }
            }
        }
    }
}

/// The first `impl` inside of a type.
fn opaque(ty: TokenStream) -> Option<TokenTree> {
    ty.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => opaque(group.stream()),
        TokenTree::Ident(ident) if ident == "impl" => Some(ident.into()),
        _ => None,
    })
}

pub(super) fn one_attribute(model: &ToolModel<'_>, errors: &mut Errors) {
    for attribute in &model.function.attributes {
        if attribute.path().segments.last().is_some_and(|segment| segment.ident == "pi_tool") {
            errors.push(attribute, "`#[pi_tool]` is given twice: write all keys into one");
        }
    }
}

pub(super) fn body(model: &ToolModel<'_>, errors: &mut Errors) {
    // A method of a trait has none, and is told that it cannot be a tool.
    if !model.function.has_body() && model.function.signature.receiver().is_none() {
        errors.push(&model.function.body, "a tool needs a body: write `{ .. }`");
    }
}

pub(super) fn references(model: &ToolModel<'_>, errors: &mut Errors) {
    for Reference { target, .. } in model.ambients() {
        match target {
            Type::ImplTrait(ty) => {
                errors.push(ty, "the application provides a value of one type: write it in place of `impl`");
            }
            Type::TraitObject(ty) => {
                let ty_text = ty.to_token_stream();
                errors.push(
                    ty,
                    format!(
                        "the application provides a value of one type: write `&Arc<{ty_text}>`, and provide an `Arc`"
                    ),
                );
            }
            _ => {}
        }
    }
    // Without the generics that are reported already.
    if model.function.signature.generics.params.is_empty() {
        for lifetime in model.ambients().chain(model.states()).filter_map(|reference| reference.lifetime.as_ref()) {
            errors.push(lifetime, "the value lives as long as the call: remove the lifetime");
        }
    }
}

pub(super) fn states(model: &ToolModel<'_>, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for Reference { target, cfgs, .. } in model.states() {
        match target {
            Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "ToolContext") => {
                errors.push(target, "the context is shared: write `&ToolContext`");
            }
            Type::ImplTrait(_) | Type::TraitObject(_) => {
                errors.push(target, "session state is of one type: write it, and derive `SessionState` for it");
            }
            _ => {}
        }
        let text = target.to_token_stream().to_string();
        if seen.contains(&text) {
            errors.push(target, "the tool takes this state already, and one of the two would be lost: remove one");
        } else if cfgs.is_empty() {
            seen.push(text);
        }
    }
}

/// A combination of them is compiled for each.
pub(super) fn conditions(model: &ToolModel<'_>, errors: &mut Errors) {
    let conditional: Vec<_> = model.function.parameters.iter().filter(|parameter| !parameter.cfgs.is_empty()).collect();
    if let Some(sixth) = conditional.get(5) {
        errors.push(&sixth.cfgs[0], "at most 5 parameters can have a `#[cfg]`: put some into a struct");
    }
}
