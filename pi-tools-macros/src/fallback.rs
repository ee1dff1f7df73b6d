//! What stands in place of the expansion when something is wrong: all errors, and the item as it was written, so that
//! no second error follows from the first and editors go on working.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

use crate::errors::Errors;
use crate::item::Function;

pub(crate) fn function(function: &Function, error: &syn::Error) -> TokenStream {
    let errors = error.to_compile_error();
    quote!(#function #errors)
}

/// The item is no function, or one with an error of syntax, of which the compiler has complained already. Its parameters
/// lose their attributes: the compiler knows none of them there.
pub(crate) fn other(item: &TokenStream, errors: Errors) -> TokenStream {
    let errors = errors.finish().err().map(syn::Error::into_compile_error);
    let item = item.clone().into_iter().map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
            let mut bare = Group::new(group.delimiter(), without_attributes(group.stream()));
            bare.set_span(group.span());
            bare.into()
        }
        token => token,
    });
    let item: TokenStream = item.collect();
    quote!(#item #errors)
}

fn without_attributes(tokens: TokenStream) -> TokenStream {
    let mut rest = tokens.into_iter().peekable();
    let mut kept = Vec::new();
    while let Some(token) = rest.next() {
        let is_pound = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        let attribute = rest.next_if(|next| {
            is_pound && matches!(next, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
        });
        if attribute.is_none() {
            kept.push(token);
        }
    }
    kept.into_iter().collect()
}
