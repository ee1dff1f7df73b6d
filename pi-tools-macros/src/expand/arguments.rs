//! The arguments, from the text of a call to values: slots, defaults, and the structs that only derives decode.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta, Type};

use super::local;
use crate::args::{Set, split};
use crate::model::{Argument, ToolModel};

/// The structs of the arguments with attributes of serde or schemars, which only their derives understand.
pub(super) fn fields(model: &ToolModel<'_>) -> Option<TokenStream> {
    let fields: Vec<_> = model
        .arguments()
        .enumerate()
        .filter(|(_, argument)| argument.is_field())
        .map(|(index, Argument { field, ty, cfgs, docs, forwarded, typed, .. })| {
            let name = field_struct(index);
            let (forwarded, default) = default_by_name(forwarded, ty, &format_ident!("__pi_default_of{index}"));
            let rename = typed.rename.iter().map(|Set { value, .. }| quote!(#[serde(rename = #value)]));
            quote! {
                #(#cfgs)*
                #[derive(__pi::Deserialize, __pi::JsonSchema)]
                #[serde(crate = "__pi::serde")]
                #[schemars(crate = "__pi::schemars")]
                struct #name { #(#docs)* #(#forwarded)* #(#rename)* #field: #ty }
                #(#cfgs)*
                #default
            }
        })
        .collect();
    (!fields.is_empty()).then(|| {
        quote! {
            // The derives call `into`, which is not everywhere in scope.
            #[allow(unused_imports)]
            use __pi::core::convert::Into as _;
            #(#fields)*
        }
    })
}

/// The attributes with the name of a function in place of a bare `default`, and this function: what stands for nothing
/// is then asked for once, at the type.
fn default_by_name(attributes: &[Attribute], ty: &Type, function: &Ident) -> (Vec<TokenStream>, Option<TokenStream>) {
    let mut is_default = false;
    let attributes = attributes.iter().map(|attribute| {
        let mut attribute = attribute.clone();
        if let Meta::List(list) = &mut attribute.meta
            && list.path.is_ident("serde")
        {
            let parts = split(list.tokens.clone()).into_iter().map(|part| {
                if part.to_string() != "default" {
                    return part;
                }
                is_default = true;
                let function = function.to_string();
                quote_spanned!(part.span()=> #part = #function)
            });
            let parts: Vec<_> = parts.collect();
            list.tokens = quote!(#(#parts),*);
        }
        attribute.into_token_stream()
    });
    let attributes = attributes.collect();
    let function = is_default.then(|| {
        let default = quote_spanned!(ty.span()=> <#ty as __pi::core::default::Default>::default());
        quote!(fn #function() -> #ty { #default })
    });
    (attributes, function)
}

pub(super) fn field_struct(index: usize) -> Ident {
    format_ident!("__PiField{index}")
}

/// The arguments while they are decoded.
pub(super) fn slots(model: &ToolModel<'_>) -> TokenStream {
    let [name_of_slot, slot, present, value] = ["name", "slot", "present", "value"].map(local);
    let mut slots = Vec::new();
    let mut arms = Vec::new();
    let mut names = Vec::new();
    for (index, argument) in model.arguments().enumerate() {
        let Argument { field, name, ty, cfgs, .. } = argument;
        let (of, decode) = if argument.is_field() {
            let name_of_struct = field_struct(index);
            (quote!(#name_of_struct), quote!(__pi::field(#name, #present, #value)?))
        } else {
            (quote!(#ty), quote_spanned!(ty.span()=> <#ty as __pi::Deserialize>::deserialize(#value)?))
        };
        let filled = match &argument.typed.default {
            None => decode,
            Some(_) if argument.is_field() => {
                let default = default_function(index);
                quote!(if #present { #decode } else { #of { #field: #default() } })
            }
            Some(_) => {
                let default = default_function(index);
                quote_spanned!(ty.span()=> __pi::or_default::<#ty, _>(#present, #value, #default)?)
            }
        };
        names.push(quote!(#(#cfgs)* #name => __pi::core::option::Option::Some(#index)));
        slots.push(quote!(#(#cfgs)* #field: __pi::core::option::Option<#of>));
        arms.push(quote!(#(#cfgs)* #index => self.#field = __pi::core::option::Option::Some(#filled)));
    }
    let number = names.len();
    quote! {
        struct __PiSlots { #(#slots),* }

        impl<'de> __pi::Slots<'de> for __PiSlots {
            const NUMBER: __pi::core::primitive::usize = #number;

            fn slot(#name_of_slot: &__pi::core::primitive::str) -> __pi::core::option::Option<__pi::core::primitive::usize> {
                match #name_of_slot {
                    #(#names,)*
                    _ => __pi::core::option::Option::None
                }
            }

            #[allow(unused_variables)]
            fn fill<__PiValue: __pi::Deserializer<'de>>(
                &mut self,
                #slot: __pi::core::primitive::usize,
                #present: __pi::core::primitive::bool,
                #value: __PiValue,
            ) -> __pi::core::result::Result<(), __PiValue::Error> {
                match #slot {
                    #(#arms,)*
                    _ => {}
                }
                __pi::core::result::Result::Ok(())
            }
        }
    }
}

/// The defaults, a function each. A text may stand for a `String`, a path or a `StringEnum`.
pub(super) fn defaults(model: &ToolModel<'_>) -> TokenStream {
    let functions = model.arguments().enumerate().filter_map(|(index, Argument { ty, cfgs, typed, .. })| {
        let default = &typed.default.as_ref()?.value;
        let name = default_function(index);
        let function = match default {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                // At the text, where the compiler shows what the type lacks.
                let from_text = quote_spanned!(text.span()=> __pi::FromText);
                let ty = respan(ty.to_token_stream(), text.span());
                quote_spanned!(text.span()=> {
                    __pi::check_default(<#ty as #from_text>::VALUES, #text);
                    || <#ty as #from_text>::from_text(#text)
                })
            }
            expression => quote!(|| #expression),
        };
        Some(quote!(#(#cfgs)* const #name: fn() -> #ty = #function;))
    });
    quote!(#(#functions)*)
}

pub(super) fn default_function(index: usize) -> Ident {
    format_ident!("__PI_DEFAULT{index}")
}

/// The same tokens at another place.
fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), respan(group.stream(), span)).into();
        }
        token.set_span(token.span().located_at(span));
        token
    });
    tokens.collect()
}

pub(super) fn empty_slots(model: &ToolModel<'_>) -> TokenStream {
    let empty = model
        .arguments()
        .map(|Argument { field, cfgs, .. }| quote!(#(#cfgs)* #field: __pi::core::option::Option::None));
    quote!(__PiSlots { #(#empty),* })
}
