//! All that is known of a tool and of its arguments before a call, as data.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Lit};

use super::arguments::{default_function, field_struct};
use crate::args::Set;
use crate::bounds::{Bounds, Number};
use crate::model::{Argument, Reference, ToolModel};

/// What is known of an argument, as data.
pub(super) fn table_row(slot: usize, argument: &Argument<'_>) -> TokenStream {
    let Argument { name, ty, cfgs, doc, typed, .. } = argument;
    let is_field = argument.is_field();
    // A field's struct has the docs.
    let (doc, schema) = if is_field {
        let name_of_struct = field_struct(slot);
        (quote!(""), quote!(__pi::of_field::<#name_of_struct>))
    } else if argument.is_flattened {
        (quote!(""), quote_spanned!(ty.span()=> __pi::of_field::<#ty>))
    } else {
        (doc.expression.clone(), quote_spanned!(ty.span()=> __pi::of_value::<#ty>))
    };
    let default = if typed.default.is_some() {
        let function = default_function(slot);
        let to_json = quote_spanned!(ty.span()=> __pi::to_json::<#ty>);
        quote!(__pi::core::option::Option::Some(|| #to_json(&#function())))
    } else {
        quote!(__pi::core::option::Option::None)
    };
    let mut keywords = Vec::new();
    let mut checks = Vec::new();
    if let (Some(range), Some(Set { value: written, .. })) = (&argument.range, &typed.range) {
        let [least, greatest] = [range.min, range.greatest()].map(|number| match number {
            Some(Number::Integer(number)) => quote!(__pi::core::option::Option::Some(#number)),
            _ => quote!(__pi::core::option::Option::None),
        });
        // A constant each, so that all are told.
        checks.push(quote_spanned!(written.span()=>
            const _: () = __pi::check_range::<#ty>(#least, #greatest);
        ));
        keywords.extend(bounds(range, "minimum", "maximum"));
    }
    if let Some(length) = &argument.length {
        checks.push(quote_spanned!(ty.span()=> __pi::check_length::<#ty>();));
        keywords.extend(bounds(length, "minLength", "maxLength"));
    }
    if let Some(Set { value: pattern, .. }) = &typed.pattern {
        keywords.push(quote!(("pattern", __pi::Keyword::Text(#pattern))));
    }
    if let Some(Set { value: examples, .. }) = &typed.examples {
        let examples = examples.iter().map(|example| match example {
            Lit::Str(text) => quote!(__pi::Keyword::Text(#text)),
            Lit::Bool(flag) => quote!(__pi::Keyword::Bool(#flag)),
            Lit::Float(number) => quote!(__pi::Keyword::Number(#number)),
            number => quote!(__pi::Keyword::Integer(#number)),
        });
        keywords.push(quote!(("examples", __pi::Keyword::List(&[#(#examples),*]))));
    }
    quote! {
        #(#cfgs)*
        __pi::Argument {
            name: #name,
            slot: #slot,
            doc: #doc,
            schema: #schema,
            is_field: #is_field,
            default: #default,
            keywords: { #(#checks)* &[#(#keywords),*] },
        }
    }
}

fn bounds(bounds: &Bounds, min: &str, max: &str) -> Vec<TokenStream> {
    let max = if bounds.is_exclusive { "exclusiveMaximum" } else { max };
    let least = bounds.min.iter().map(|number| quote!((#min, #number)));
    let greatest = bounds.max.iter().map(|number| quote!((#max, #number)));
    least.chain(greatest).collect()
}

pub(super) fn spec(model: &ToolModel<'_>) -> TokenStream {
    let ToolModel { name, label, typed, .. } = model;
    let description = &model.description.expression;
    let texts = [
        ("prompt_snippet", &typed.prompt_snippet),
        ("confirm", &typed.confirm),
        ("namespace", &typed.namespace),
        ("overrides", &typed.overrides),
        ("render_call", &typed.render_call),
        ("render_result", &typed.render_result),
    ];
    let flags = [
        ("read_only", &typed.read_only),
        ("destructive", &typed.destructive),
        ("idempotent", &typed.idempotent),
        ("open_world", &typed.open_world),
        ("default_active", &typed.default_active),
    ];
    let integers =
        [("max_lines", &typed.max_lines), ("max_bytes", &typed.max_bytes), ("render_lines", &typed.render_lines)];
    let words = [
        ("execution", "Execution", &typed.execution),
        ("truncate", "Truncate", &typed.truncate),
        ("exposure", "Exposure", &typed.exposure),
    ];
    let mut calls = Vec::new();
    calls.extend(texts.into_iter().filter_map(|(method, set)| Some(setter(method, &set.as_ref()?.value))));
    calls.extend(flags.into_iter().filter_map(|(method, set)| Some(setter(method, &set.as_ref()?.value))));
    calls.extend(integers.into_iter().filter_map(|(method, set)| Some(setter(method, &set.as_ref()?.value))));
    calls.extend(words.into_iter().filter_map(|(method, of, set)| {
        let (of, word) = (format_ident!("{of}"), format_ident!("{}", set.as_ref()?.value));
        Some(setter(method, &quote!(__pi::#of::#word)))
    }));
    if let Some(Set { value: guidelines, .. }) = &typed.guidelines {
        calls.push(setter("guidelines", &quote!(&[#(#guidelines),*])));
    }
    if let Some(timeout) = model.timeout {
        let milliseconds = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        calls.push(setter("timeout", &quote!(__pi::core::time::Duration::from_millis(#milliseconds))));
    }
    if let Some(Set { value: prepare, .. }) = &typed.prepare {
        let arguments = Ident::new("__pi_arguments", prepare.span());
        let call = quote_spanned!(prepare.span()=> __pi::Prepared::prepared(#prepare(#arguments)));
        calls.push(setter("prepare", &quote!(|#arguments| #call)));
    }
    let renames: Vec<_> = model
        .arguments()
        .flat_map(|Argument { name, cfgs, typed, .. }| {
            typed.aliases.iter().map(move |alias| quote!(#(#cfgs)* __pi::Rename { from: #alias, to: #name }))
        })
        .collect();
    if !renames.is_empty() {
        calls.push(setter("renames", &quote!(&[#(#renames),*])));
    }
    let needs: Vec<_> =
        model.ambients().map(|Reference { target, cfgs, .. }| quote!(#(#cfgs)* __pi::Need::of::<#target>())).collect();
    if !needs.is_empty() {
        calls.push(setter("needs", &quote!(&[#(#needs),*])));
    }
    quote!(__pi::ToolSpec::new(#name, #label, #description) #(#calls)*)
}

fn setter(method: &str, value: &impl ToTokens) -> TokenStream {
    let method = format_ident!("{method}");
    quote!(.#method(#value))
}
