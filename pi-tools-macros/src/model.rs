//! What the function and its attribute mean: every default is applied here.

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, Ident, LitStr, Path, Type, parse_quote};

use crate::args::Set;
use crate::args::keys::{Execution, ToolArgs};
use crate::case;
use crate::item::{self, Doc, Function};

/// A tool.
pub(crate) struct ToolModel<'a> {
    pub(crate) function: &'a Function,
    pub(crate) name: LitStr,
    pub(crate) label: LitStr,
    pub(crate) description: Doc,
    pub(crate) prompt_snippet: Option<LitStr>,
    pub(crate) guidelines: Vec<LitStr>,
    pub(crate) execution: Option<Set<Execution>>,
    pub(crate) handle: Option<Ident>,
    pub(crate) register: Set<bool>,
    pub(crate) krate: Path,
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
    pub(crate) doc: Doc,
    pub(crate) docs: &'a [Attribute],
    pub(crate) forwarded: &'a [Attribute],
    pub(crate) aliases: Vec<LitStr>,
}

impl Argument<'_> {
    /// Whether only the derives of serde and schemars understand it.
    pub(crate) fn is_field(&self) -> bool {
        !self.forwarded.is_empty()
    }
}

/// A parameter that the model does not see.
pub(crate) struct Reference<'a> {
    pub(crate) name: &'a Ident,
    /// The type behind the `&`.
    pub(crate) target: Type,
    pub(crate) attributes: Vec<&'a Attribute>,
}

impl<'a> ToolModel<'a> {
    pub(crate) fn build(args: ToolArgs, function: &'a Function) -> Self {
        let ident = &function.signature.ident;
        let name = value(args.name).unwrap_or_else(|| text(&ident.unraw().to_string(), ident.span()));
        let label = value(args.label).unwrap_or_else(|| text(&case::words(&name.value()), name.span()));
        let description = match value(args.description) {
            Some(description) => Doc { text: Some(description.value()), expression: description.into_token_stream() },
            None => item::doc(&function.attributes),
        };
        Self {
            function,
            name,
            label,
            description,
            prompt_snippet: value(args.prompt_snippet),
            guidelines: value(args.guidelines).unwrap_or_default(),
            execution: args.execution,
            handle: value(args.handle),
            register: args.register.unwrap_or_else(|| Set { key: ident.clone(), value: true }),
            krate: value(args.krate).unwrap_or_else(|| parse_quote!(::pi_tools)),
            parameters: function.parameters.iter().map(parameter).collect(),
        }
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

fn parameter(typed: &item::Parameter) -> Parameter<'_> {
    match without_group(&typed.ty) {
        Type::Reference(reference) => {
            let reference_to = Reference {
                name: &typed.name,
                target: (*reference.elem).clone(),
                attributes: typed.arg_attribute.iter().chain(&typed.forwarded).collect(),
            };
            if reference.mutability.is_some() {
                Parameter::State(reference_to)
            } else {
                Parameter::Ambient(reference_to)
            }
        }
        _ => Parameter::Argument(Argument {
            field: &typed.name,
            name: serialised_name(typed),
            ty: &typed.ty,
            doc: item::doc(&typed.docs),
            docs: &typed.docs,
            forwarded: &typed.forwarded,
            aliases: typed.arg.as_ref().map(|arg| arg.aliases.clone()).unwrap_or_default(),
        }),
    }
}

/// `macro_rules!` wraps a `$ty:ty` into a group that nobody sees.
fn without_group(ty: &Type) -> &Type {
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
            if meta.path.is_ident("rename") {
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

fn value<T>(set: Option<Set<T>>) -> Option<T> {
    set.map(|set| set.value)
}

fn text(text: &str, span: Span) -> LitStr {
    LitStr::new(text, span)
}
