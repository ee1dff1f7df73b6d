//! The function that the attribute stands on: its signature parsed, its body kept as tokens.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, FnArg, Ident, Meta, Pat, Signature, Type, Visibility};

use crate::args::keys::ArgArgs;
use crate::args::{self, Typed, keys};
use crate::errors::Errors;

/// A function as it was written.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
    pub(crate) parameters: Vec<Parameter>,
}

/// A parameter as it was written, its attributes sorted.
pub(crate) struct Parameter {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) cfgs: Vec<Attribute>,
    /// `#[arg(..)]`.
    pub(crate) arg: Typed<ArgArgs>,
    pub(crate) arg_attribute: Option<Attribute>,
    /// `#[serde(..)]` and `#[schemars(..)]`.
    pub(crate) forwarded: Vec<Attribute>,
}

impl Function {
    /// Reads the item. `None` when it is no function at all, or one that the compiler has complained of already.
    pub(crate) fn read(item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        let parser = |input: ParseStream<'_>| {
            let attributes = input.call(Attribute::parse_outer)?;
            let visibility: Visibility = input.parse()?;
            let signature: Signature = input.parse()?;
            let body: TokenStream = input.parse()?;
            Ok((attributes, visibility, signature, body))
        };
        let Ok((attributes, visibility, mut signature, body)) = parser.parse2(item.clone()) else {
            let is_function =
                item.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "fn"));
            if !is_function {
                errors.push(item, "`#[pi_tool]` goes on a function: write `async fn name(..)` or `fn name(..)`");
            }
            return None;
        };
        let parameters = signature.inputs.iter_mut().filter_map(|input| Parameter::read(input, errors)).collect();
        Some(Self { attributes, visibility, signature, body, parameters })
    }

    /// Whether there is one; without, the compiler would complain a second time.
    pub(crate) fn has_body(&self) -> bool {
        matches!(self.body.clone().into_iter().next(), Some(TokenTree::Group(_)))
    }

    /// The attributes that decide whether the function exists.
    pub(crate) fn cfgs(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attributes, visibility, signature, body, .. } = self;
        let body = if self.has_body() { body.clone() } else { quote!({ loop {} }) };
        tokens.extend(quote!(#(#attributes)* #visibility #signature #body));
    }
}

impl Parameter {
    /// Takes our attributes off the parameter: the compiler knows none of them there.
    fn read(input: &mut FnArg, errors: &mut Errors) -> Option<Self> {
        let typed = match input {
            FnArg::Typed(typed) => typed,
            FnArg::Receiver(receiver) => {
                errors.push(receiver, "a tool is a free function: it takes no `self`");
                return None;
            }
        };
        let mut parameter = Self {
            name: Ident::new("_", proc_macro2::Span::call_site()),
            ty: (*typed.ty).clone(),
            docs: Vec::new(),
            cfgs: Vec::new(),
            arg: Typed::default(),
            arg_attribute: None,
            forwarded: Vec::new(),
        };
        for attribute in std::mem::take(&mut typed.attrs) {
            let path = attribute.path();
            if path.is_ident("doc") {
                parameter.docs.push(attribute);
            } else if path.is_ident("serde") || path.is_ident("schemars") {
                parameter.forwarded.push(attribute);
            } else if path.is_ident("arg") {
                if parameter.arg_attribute.is_some() {
                    errors.push(&attribute, "`#[arg(..)]` is given twice: write all keys into one");
                } else if let Meta::List(list) = &attribute.meta {
                    parameter.arg = args::read(list.tokens.clone(), "arg", keys::ARG, errors);
                } else {
                    errors.push(&attribute, "wrong form of `arg`: write `#[arg(key = value)]`");
                }
                parameter.arg_attribute = Some(attribute);
            } else if path.is_ident("cfg_attr") {
                errors.push(&attribute, "`cfg_attr` on a parameter cannot be read: write the attribute itself");
            } else {
                if path.is_ident("cfg") {
                    parameter.cfgs.push(attribute.clone());
                }
                typed.attrs.push(attribute);
            }
        }
        match &*typed.pat {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                parameter.name = name.ident.clone();
                Some(parameter)
            }
            pattern => {
                errors.push(
                    pattern,
                    "a tool's parameter needs a name: write `name: Type`, and take it apart in the body",
                );
                None
            }
        }
    }
}

/// The text of doc comments: as it is known here, and as an expression.
pub(crate) struct Doc {
    /// `None` when the compiler must be asked, as for `#[doc = include_str!(..)]`.
    pub(crate) text: Option<String>,
    pub(crate) expression: TokenStream,
}

/// Joins doc comments.
pub(crate) fn doc(attributes: &[Attribute]) -> Doc {
    let values: Vec<&Expr> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .filter_map(|attribute| attribute.meta.require_name_value().ok())
        .map(|meta| &meta.value)
        .collect();
    let lines: Option<Vec<String>> = values.iter().map(|value| literal(value)).collect();
    match lines {
        Some(lines) => {
            let text = undecorated(&lines.join("\n"));
            Doc { expression: quote!(#text), text: Some(text) }
        }
        None => {
            let text = quote!(__pi::core::concat!(#(#values, "\n"),*));
            Doc { expression: quote!(__pi::core::primitive::str::trim_ascii(#text)), text: None }
        }
    }
}

/// The text of a comment: without the space after `///`, and without the stars of `/** */`.
fn undecorated(text: &str) -> String {
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    // As rustdoc does: the first line stands behind the stars that open the comment.
    if let [_, rest @ ..] = lines.as_mut_slice()
        && rest.iter().all(|line| line.trim_start().starts_with('*'))
    {
        for line in rest {
            *line = &line.trim_start()[1..];
        }
    }
    let indents = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indents.min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or_default()).collect();
    lines.join("\n").trim().to_owned()
}

/// The text that an expression is.
pub(crate) fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}
