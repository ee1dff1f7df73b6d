//! One call: decoding, the states, the function, and its output.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, ReturnType, Signature};

use super::local;
use crate::model::{Argument, Parameter, Reference, ToolModel};

/// Decodes the arguments, copies the states, and calls the function, in a future or in a closure.
pub(super) fn start(model: &ToolModel<'_>, empty: &TokenStream) -> TokenStream {
    let function = &model.function.signature;
    let [call, place, slots, cx, finished, files] = ["call", "place", "slots", "cx", "finished", "files"].map(local);
    let states: Vec<_> = (0..model.states().count()).map(|index| local(&format!("state{index}"))).collect();
    // At the type, where the compiler shows once what it lacks.
    let copies = model.states().zip(&states).map(|(Reference { target, cfgs, .. }, state)| {
        let copy = quote_spanned!(target.span()=> #call.state::<#target>()?);
        quote!(#(#cfgs)* let mut #state = #copy;)
    });
    let stores = model.states().zip(&states).map(|(Reference { target, cfgs, .. }, state)| {
        let store = quote_spanned!(target.span()=> #finished.state::<#target>(&#state)?);
        quote!(#(#cfgs)* let #finished = #store;)
    });
    let values = values(model, &states);
    // The compiler shows a result that is none where its type is written.
    let result = match &function.output {
        ReturnType::Default => function.ident.span(),
        ReturnType::Type(_, ty) => ty.span(),
    };
    let output = Ident::new("__pi_output", result);
    let name = &function.ident;
    let awaited = function.asyncness.map(|_| quote!(.await));
    let awaited_calls = calls(model, &output, &values, awaited.as_ref());
    let details = model.builtin().map(|builtin| {
        let details = format_ident!("{}", builtin.details);
        quote_spanned!(result=> __pi::check_details::<__pi::builtin::#details, _>(&#output);)
    });
    let returned = returned(function);
    let convert = quote!(#returned::into_tool_output(#output));
    let body = quote! {
        #awaited_calls
        #details
        let #finished = __pi::Finished::new(#convert?);
        #(#stores)*
        __pi::core::result::Result::Ok(#finished)
    };
    let changed: Vec<_> = model
        .arguments()
        .filter(|argument| argument.typed.mutates.as_ref().is_some_and(|set| set.value))
        .map(|argument @ Argument { field, ty, cfgs, .. }| {
            let value = quote!(__pi::filled(#slots.#field.as_ref()));
            let value = if argument.is_field() { quote!(&#value.#field) } else { value };
            // At the type, where the compiler shows that it names no file.
            let of = quote_spanned!(ty.span()=> #call.files::<#ty>);
            quote!(#(#cfgs)* #of(#value)?)
        })
        .collect();
    // Before the future or the closure takes the arguments.
    let (find, hold) = if changed.is_empty() {
        (None, None)
    } else {
        (Some(quote!(let #files = [#(#changed),*];)), Some(quote!(.mutating(#files))))
    };
    let takes_only_arguments = model.parameters.len() == model.arguments().count();
    // A future borrows the context; a closure goes to another thread with a clone. At the function's name, where the
    // compiler shows what keeps the future on its thread.
    let started = if function.asyncness.is_none() {
        quote! {
            let #cx = __pi::core::clone::Clone::clone(#call.cx);
            __pi::core::result::Result::Ok(__pi::core::option::Option::Some(__pi::Started::blocking(move || {
                let #cx = &#cx;
                #body
            }) #hold))
        }
    } else if takes_only_arguments && changed.is_empty() && !model.function.may_wait() {
        let future = local("future");
        let calls = calls(model, &future, &values, None);
        let started = quote_spanned!(name.span()=> __pi::Started::at_once);
        quote! {
            #calls
            #started(#place, #future, |#output| { #details #convert })
        }
    } else {
        let started = quote_spanned!(name.span()=> __pi::Started::new);
        quote! {
            let #cx = #call.cx;
            __pi::core::result::Result::Ok(__pi::core::option::Option::Some(#started(async move { #body }) #hold))
        }
    };
    let decode = if model.arguments().any(|argument| argument.is_flattened) {
        quote!(__pi::decode_flattened(&mut #slots, #call.arguments)?)
    } else {
        quote!(__pi::decode(__PI_TOOL.arguments, &mut #slots, #call.arguments)?)
    };
    quote! {
        |#call, #place| {
            let mut #slots = #empty;
            #decode;
            #(#copies)*
            #find
            #started
        }
    }
}

/// What the function is called with.
fn values<'a>(model: &'a ToolModel<'_>, states: &[Ident]) -> Vec<(&'a [Attribute], TokenStream)> {
    let [slots, cx] = ["slots", "cx"].map(local);
    let mut next_state = states.iter();
    model
        .parameters
        .iter()
        .map(|parameter| match parameter {
            Parameter::Argument(argument @ Argument { field, cfgs, .. }) => {
                let inner = argument.is_field().then(|| quote!(.#field));
                (*cfgs, quote!(__pi::filled(#slots.#field)#inner))
            }
            Parameter::Ambient(Reference { target, cfgs, .. }) => {
                // As the expansion's own code: for the user's, the compiler would suggest to borrow once more.
                let at = Span::call_site().located_at(target.span());
                (*cfgs, quote_spanned!(at=> <#target as __pi::FromContext>::from_context(#cx)?))
            }
            Parameter::State(Reference { cfgs, .. }) => {
                let state = next_state.next();
                (*cfgs, quote!(&mut #state))
            }
        })
        .collect()
}

/// The type of the result, as what it must be. At the type wherever it stands: the compiler tells the same thing at the
/// same place once.
pub(super) fn returned(function: &Signature) -> TokenStream {
    match &function.output {
        ReturnType::Default => quote!(<() as __pi::IntoToolOutput>),
        ReturnType::Type(_, ty) => quote_spanned!(ty.span()=> <#ty as __pi::IntoToolOutput>),
    }
}

/// The call of the function. An attribute cannot remove a value of a call, so with `#[cfg]` on parameters there is a
/// call for each combination, of which one is compiled.
fn calls(
    model: &ToolModel<'_>,
    result: &Ident,
    values: &[(&[Attribute], TokenStream)],
    awaited: Option<&TokenStream>,
) -> TokenStream {
    let name = &model.function.signature.ident;
    let conditional: Vec<usize> = (0..values.len()).filter(|index| !values[*index].0.is_empty()).collect();
    let combinations = (0..1_usize << conditional.len()).map(|combination| {
        let is_there = |index: usize| {
            conditional.iter().position(|other| *other == index).is_none_or(|bit| combination & (1 << bit) != 0)
        };
        let conditions = conditional.iter().map(|index| {
            let conditions =
                values[*index].0.iter().filter_map(|cfg| cfg.meta.require_list().ok()).map(|list| &list.tokens);
            if is_there(*index) { quote!(all(#(#conditions),*)) } else { quote!(not(all(#(#conditions),*))) }
        });
        let values = values.iter().enumerate().filter(|(index, _)| is_there(*index)).map(|(_, (_, value))| value);
        let cfg = (!conditional.is_empty()).then(|| quote!(#[cfg(all(#(#conditions),*))]));
        quote!(#cfg let #result = #name(#(#values),*) #awaited;)
    });
    quote!(#(#combinations)*)
}
