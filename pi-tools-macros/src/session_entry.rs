//! `#[derive(SessionEntry)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, Field, Fields, Generics, Ident, Item, LitStr, Meta, parse_quote};

use crate::args::keys::{SESSION_ENTRY, SessionEntryArgs};
use crate::args::{self, Set};
use crate::case::snake;
use crate::check::templates::{drawn, known};
use crate::errors::Errors;
use crate::template::Placeholder;

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let expansion = read(item, &mut errors);
    // Also on an error: without the trait, every use would be a second one.
    let errors = errors.finish().err().map(syn::Error::into_compile_error);
    quote!(#expansion #errors)
}

fn read(item: TokenStream, errors: &mut Errors) -> TokenStream {
    let (name, generics, attributes, fields) = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Struct(item)) => (item.ident, item.generics, item.attrs, Some(item.fields)),
        Ok(Item::Enum(item)) => (item.ident, item.generics, item.attrs, None),
        _ => {
            errors.push(item, "`SessionEntry` is for structs and enums: write one of them");
            return TokenStream::new();
        }
    };
    let args = arguments(&attributes, errors);
    let entry_type =
        args.entry_type.map_or_else(|| LitStr::new(&snake(&name.unraw().to_string()), name.span()), |set| set.value);
    if entry_type.value().trim().is_empty() {
        errors.push(&entry_type, "the type is empty: write one, or leave `type` out");
    }
    if let Some(Set { key, value: template }) = &args.render {
        let placeholders = drawn(&key.to_string(), template, errors);
        if template.value().trim().is_empty() {
            errors.push(template, "`render` is empty: write a text, or leave it out");
        }
        if !generics.params.is_empty() {
            errors.push(&generics, "entries of one type are drawn one way, so it cannot be generic: write the types");
        }
        check(template, &placeholders, &attributes, fields.as_ref(), errors);
    }
    let krate = args.krate.map_or_else(|| parse_quote!(::pi_tools), |set| set.value);
    let implement = implement(&name, &generics, &entry_type);
    let registration = args.render.map(|Set { value: template, .. }| {
        let path = name.to_string();
        quote! {
            __pi::submit! {
                __pi::DrawnEntry {
                    entry_type: #entry_type,
                    template: #template,
                    path: __pi::core::concat!(__pi::core::module_path!(), "::", #path),
                }
            }
        }
    });
    quote! {
        const _: () = {
            use #krate::__private as __pi;

            #implement
            #registration
        };
    }
}

fn arguments(attributes: &[Attribute], errors: &mut Errors) -> SessionEntryArgs {
    let mut tokens = TokenStream::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("session_entry")) {
        match &attribute.meta {
            Meta::List(list) => {
                let list = &list.tokens;
                tokens.extend(quote!(#list,));
            }
            _ => errors.push(attribute, "wrong form: write `#[session_entry(type = \"name\")]`"),
        }
    }
    args::read(tokens, "session_entry", SESSION_ENTRY, errors).args
}

fn implement(name: &Ident, generics: &Generics, entry_type: &LitStr) -> TokenStream {
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let predicates = conditions.iter().flat_map(|conditions| &conditions.predicates);
    let conditions =
        (!generics.params.is_empty()).then(|| quote!(where #(#predicates,)* #name #arguments: __pi::serde::Serialize));
    // At the name, where the compiler shows what the type lacks.
    let target = quote_spanned!(name.span()=> #name);
    quote! {
        #[automatically_derived]
        impl #parameters __pi::SessionEntry for #target #arguments #conditions {
            const TYPE: &'static __pi::core::primitive::str = #entry_type;
        }
    }
}

/// Whether the placeholders are fields, as far as they are known.
fn check(
    template: &LitStr,
    placeholders: &[Placeholder],
    attributes: &[Attribute],
    fields: Option<&Fields>,
    errors: &mut Errors,
) {
    match fields {
        Some(Fields::Named(fields)) if !attributes.iter().any(|attribute| attribute.path().is_ident("serde")) => {
            let fields: Option<Vec<String>> = fields.named.iter().map(field_name).collect();
            if let Some(names) = fields {
                known(template, placeholders.iter().map(Placeholder::first), &names, "field of the entry", errors);
            }
        }
        // Serde makes other names of them, or an object of a variant.
        Some(Fields::Named(_)) | None => {}
        Some(fields) => {
            errors.push(fields, "`render` finds values by the names of fields: write a struct with names");
        }
    }
}

/// The name of a field in the data: `None` when serde knows it alone.
fn field_name(field: &Field) -> Option<String> {
    let mut name = field.ident.as_ref()?.unraw().to_string();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute
            .parse_nested_meta(|meta| {
                if meta.path.is_ident("rename") && meta.input.peek(syn::Token![=]) {
                    name = meta.value()?.parse::<LitStr>()?.value();
                    Ok(())
                } else if meta.path.is_ident("rename") || meta.path.is_ident("flatten") {
                    Err(meta.error("known to serde alone"))
                } else if meta.input.peek(syn::Token![=]) {
                    meta.value()?.parse::<syn::Expr>().map(drop)
                } else {
                    Ok(())
                }
            })
            .ok()?;
    }
    Some(name)
}
