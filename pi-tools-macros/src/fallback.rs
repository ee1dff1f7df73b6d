//! What stands in place of the expansion when something is wrong: all errors, and the item as it was written, so that
//! no second error follows from the first and editors go on working.

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::item::Function;

pub(crate) fn function(function: &Function, error: &syn::Error) -> TokenStream {
    let errors = error.to_compile_error();
    quote!(#function #errors)
}

/// The item is no function.
pub(crate) fn other(item: &TokenStream, errors: Errors) -> TokenStream {
    let errors = errors.finish().err().map(syn::Error::into_compile_error);
    quote!(#item #errors)
}
