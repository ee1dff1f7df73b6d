//! What the function and its attribute mean: every default is applied here.

use std::time::Duration;

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, ExprRange, Ident, Lifetime, LitStr, Path, Type, parse_quote};

use crate::args::keys::{ArgArgs, ToolArgs};
use crate::args::{Set, Typed};
use crate::bounds::Bounds;
use crate::builtins::{BUILTINS, Builtin};
use crate::case;
use crate::errors::Errors;
use crate::item::{self, Doc, Function};

/// A tool.
pub(crate) struct ToolModel<'a> {
    pub(crate) function: &'a Function,
    pub(crate) name: LitStr,
    pub(crate) label: LitStr,
    pub(crate) description: Doc,
    /// `None` also when it is wrong, which is reported.
    pub(crate) timeout: Option<Duration>,
    pub(crate) krate: Path,
    pub(crate) is_registered: bool,
    /// What was typed: the keys without a default of their own.
    pub(crate) typed: Typed<ToolArgs>,
    /// The parameters, in their order.
    pub(crate) parameters: Vec<Parameter<'a>>,
}

/// A parameter of the function, by what it is to the tool.
pub(crate) enum Parameter<'a> {
    Argument(Argument<'a>),
    /// `&T`.
    Ambient(Reference<'a>),
    /// `&mut T`.
    State(Reference<'a>),
}

/// A parameter that the model fills.
pub(crate) struct Argument<'a> {
    /// The parameter's name, as it was written.
    pub(crate) field: &'a Ident,
    /// The name that the model uses.
    pub(crate) name: LitStr,
    pub(crate) ty: &'a Type,
    pub(crate) cfgs: &'a [Attribute],
    pub(crate) doc: Doc,
    pub(crate) docs: &'a [Attribute],
    pub(crate) forwarded: &'a [Attribute],
    pub(crate) range: Option<Bounds>,
    pub(crate) length: Option<Bounds>,
    pub(crate) is_flattened: bool,
    /// What was typed: the keys without a meaning of their own here.
    pub(crate) typed: &'a Typed<ArgArgs>,
}

impl Argument<'_> {
    /// Whether only the derives of serde and schemars understand it.
    pub(crate) fn is_field(&self) -> bool {
        !self.forwarded.is_empty()
    }

    /// Whether `#[schemars(description = ..)]` is there.
    pub(crate) fn is_described(&self) -> bool {
        let mentions = |attribute: &Attribute| attribute.to_token_stream().to_string().contains("description");
        self.forwarded.iter().any(|attribute| attribute.path().is_ident("schemars") && mentions(attribute))
    }

    /// Whether a name was given that cannot be read.
    pub(crate) fn has_unreadable_name(&self) -> bool {
        self.typed.has("rename") && self.typed.rename.is_none()
    }
}

/// A parameter that the model does not see.
pub(crate) struct Reference<'a> {
    pub(crate) name: &'a Ident,
    /// The type behind the `&`.
    pub(crate) target: Type,
    pub(crate) lifetime: Option<Lifetime>,
    pub(crate) cfgs: &'a [Attribute],
    pub(crate) attributes: Vec<&'a Attribute>,
}

impl<'a> ToolModel<'a> {
    pub(crate) fn build(typed: Typed<ToolArgs>, function: &'a Function, errors: &mut Errors) -> Self {
        let ident = &function.signature.ident;
        let name = value(typed.name.as_ref()).or_else(|| value(typed.overrides.as_ref()));
        let name = name.unwrap_or_else(|| text(&ident.unraw().to_string(), ident.span()));
        let label = value(typed.label.as_ref()).unwrap_or_else(|| text(&case::words(&name.value()), name.span()));
        let description = match value(typed.description.as_ref()) {
            Some(description) => Doc { text: Some(description.value()), expression: description.into_token_stream() },
            None => item::doc(&function.attributes),
        };
        Self {
            function,
            name,
            label,
            description,
            timeout: value(typed.timeout.as_ref()).and_then(|timeout| duration(&timeout, errors)),
            krate: value(typed.krate.as_ref()).unwrap_or_else(|| parse_quote!(::pi_tools)),
            is_registered: value(typed.register.as_ref()).unwrap_or(true),
            typed,
            parameters: function.parameters.iter().map(|typed| parameter(typed, errors)).collect(),
        }
    }

    /// The built-in tool that this one stands for.
    pub(crate) fn builtin(&self) -> Option<&'static Builtin> {
        let overrides = self.typed.overrides.as_ref()?.value.value();
        BUILTINS.iter().find(|builtin| builtin.name == overrides)
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument<'a>> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(argument),
            _ => None,
        })
    }

    pub(crate) fn ambients(&self) -> impl Iterator<Item = &Reference<'a>> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Ambient(reference) => Some(reference),
            _ => None,
        })
    }

    pub(crate) fn states(&self) -> impl Iterator<Item = &Reference<'a>> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::State(reference) => Some(reference),
            _ => None,
        })
    }
}

fn parameter<'a>(typed: &'a item::Parameter, errors: &mut Errors) -> Parameter<'a> {
    if let Type::Reference(reference) = without_group(&typed.ty) {
        let reference_to = Reference {
            name: &typed.name,
            target: (*reference.elem).clone(),
            lifetime: reference.lifetime.clone(),
            cfgs: &typed.cfgs,
            attributes: typed.arg_attribute.iter().chain(&typed.forwarded).collect(),
        };
        return if reference.mutability.is_some() {
            Parameter::State(reference_to)
        } else {
            Parameter::Ambient(reference_to)
        };
    }
    let mut bounds = |range: &Option<Set<ExprRange>>| {
        let range = range.as_ref()?;
        Bounds::read(&range.value, &range.key.to_string(), errors)
    };
    Parameter::Argument(Argument {
        field: &typed.name,
        name: value(typed.arg.rename.as_ref()).unwrap_or_else(|| serialised_name(typed)),
        ty: &typed.ty,
        cfgs: &typed.cfgs,
        doc: item::doc(&typed.docs),
        docs: &typed.docs,
        forwarded: &typed.forwarded,
        range: bounds(&typed.arg.range),
        length: bounds(&typed.arg.length),
        is_flattened: value(typed.arg.flatten.as_ref()).unwrap_or(false),
        typed: &typed.arg,
    })
}

/// `30s`, `500ms`, `2m`, `1h`.
fn duration(timeout: &LitStr, errors: &mut Errors) -> Option<Duration> {
    let text = timeout.value();
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let milliseconds = factor.and_then(|factor: u64| number.parse::<u64>().ok()?.checked_mul(factor));
    let problem = match milliseconds {
        None => Some("the timeout is a whole number and a unit, `ms`, `s`, `m` or `h`: write `\"30s\"`"),
        Some(0) => Some("no call ends in no time: for calls without a limit leave `timeout` out"),
        Some(_) => None,
    };
    if let Some(problem) = problem {
        errors.push(timeout, problem);
    }
    milliseconds.map(Duration::from_millis)
}

/// `macro_rules!` wraps a `$ty:ty` into a group that nobody sees.
pub(crate) fn without_group(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => without_group(&group.elem),
        Type::Paren(paren) => without_group(&paren.elem),
        ty => ty,
    }
}

/// The parameter's name, or what `#[serde(rename = "..")]` makes of it.
fn serialised_name(typed: &item::Parameter) -> LitStr {
    let mut name = text(&typed.name.unraw().to_string(), typed.name.span());
    for attribute in typed.forwarded.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        // What serde does not understand, serde reports.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") && meta.input.peek(syn::token::Paren) {
                meta.parse_nested_meta(|meta| {
                    let value: LitStr = meta.value()?.parse()?;
                    if meta.path.is_ident("deserialize") {
                        name = value;
                    }
                    Ok(())
                })?;
            } else if meta.path.is_ident("rename") {
                name = meta.value()?.parse()?;
            } else if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            } else if meta.input.peek(syn::token::Paren) {
                meta.parse_nested_meta(|_| Ok(()))?;
            }
            Ok(())
        });
    }
    name
}

fn value<T: Clone>(set: Option<&Set<T>>) -> Option<T> {
    set.map(|set| set.value.clone())
}

fn text(text: &str, span: Span) -> LitStr {
    LitStr::new(text, span)
}
