//! `#[derive(SessionState)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Item, LitStr, Meta, parse_quote};

use crate::args;
use crate::args::keys::SESSION_STATE;
use crate::case::snake;
use crate::check::JAVASCRIPT;
use crate::errors::Errors;

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let expansion = read(item, &mut errors);
    // Also on an error: without the trait, every use would be a second one.
    let errors = errors.finish().err().map(syn::Error::into_compile_error);
    quote!(#expansion #errors)
}

fn read(item: TokenStream, errors: &mut Errors) -> TokenStream {
    let (name, generics, attributes) = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Struct(item)) => (item.ident, item.generics, item.attrs),
        Ok(Item::Enum(item)) => (item.ident, item.generics, item.attrs),
        _ => {
            errors.push(item, "`SessionState` is for structs and enums: write one of them");
            return TokenStream::new();
        }
    };
    if !generics.params.is_empty() {
        errors.push(&generics, "session state cannot be generic, since its key stands for one type: write the types");
    }
    let is_wrong = !generics.params.is_empty();
    let mut tokens = TokenStream::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("session_state")) {
        match &attribute.meta {
            Meta::List(list) => {
                let list = &list.tokens;
                tokens.extend(quote!(#list,));
            }
            _ => errors.push(attribute, "wrong form: write `#[session_state(key = \"key\")]`"),
        }
    }
    let args = args::read(tokens, "session_state", SESSION_STATE, errors).args;
    let key = args.key.map_or_else(|| LitStr::new(&snake(&name.unraw().to_string()), name.span()), |set| set.value);
    if key.value().is_empty() {
        errors.push(&key, "the key is empty: write one, or leave `key` out");
    } else if JAVASCRIPT.contains(&key.value().as_str()) {
        errors.push(
            &key,
            "every JavaScript object has a property of this name, and Pi would lose the state: write another key",
        );
    }
    let krate = args.krate.map_or_else(|| parse_quote!(::pi_tools), |set| set.value);
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let form = if is_wrong {
        quote!(loop {})
    } else {
        // At the name, where the compiler shows what the type lacks.
        quote_spanned!(name.span()=> __pi::StateForm::<#name>::of())
    };
    let conditions = conditions.iter().flat_map(|conditions| &conditions.predicates);
    let conditions =
        is_wrong.then(|| quote!(where #(#conditions,)* #name #arguments: __pi::core::marker::Send + 'static));
    quote! {
        const _: () = {
            use #krate::__private as __pi;

            #[automatically_derived]
            impl #parameters __pi::SessionState for #name #arguments #conditions {
                const KEY: &'static __pi::core::primitive::str = #key;
                const FORM: __pi::StateForm<Self> = #form;
            }
        };
    }
}
