//! From the model to tokens. It cannot fail: what could is checked before.
//!
//! ```text
//! // Input:                    // Output:
//! /// Manage to-dos.           async fn todo(action: Action, todos: &mut Todos, cx: &ToolContext) -> String { .. }
//! #[pi_tool]                   const _: () = {
//! async fn todo(                   use ::pi_tools::__private as __pi;
//!     /// What to do.              struct __PiSlots { action: Option<Action> }
//!     action: Action,              impl<'de> __pi::Slots<'de> for __PiSlots { .. decodes an argument by its index .. }
//!     todos: &mut Todos,           static __PI_TOOL: __pi::FunctionTool = __pi::FunctionTool {
//!     cx: &ToolContext,                .. all that is known of the tool, as data ..
//! ) -> String { .. }                   start: |call| .. todo(slots.action, &mut state, cx) ..
//!                                  };
//!                                  __pi::submit! { __pi::Registration(&__PI_TOOL) }
//!                              };
//! ```
//!
//! Every line of it is compiled for every tool, so it is little, and what it calls is generic over types that recur.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, ReturnType};

use crate::args::keys::Execution;
use crate::model::{Argument, Parameter, Reference, ToolModel};

pub(crate) fn expand(model: &ToolModel<'_>) -> TokenStream {
    let function = model.function;
    let cfgs: Vec<_> = function.cfgs().collect();
    let krate = &model.krate;
    let handle = model.handle.as_ref().map(|name| handle(model, name));
    let implement_handle = model.handle.as_ref().map(implement_handle);
    let fields = fields(model);
    let slots = slots(model);
    let tool = tool(model);
    let registration = model.register.value.then(|| quote!(__pi::submit! { __pi::Registration(&__PI_TOOL) }));
    quote! {
        // A tool owns its arguments, and is `async` when it does not block, whether it awaits or not.
        #[allow(clippy::needless_pass_by_value, clippy::unused_async)]
        #function

        #handle

        #(#cfgs)*
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = {
            use #krate::__private as __pi;

            #fields
            #slots
            #tool
            #implement_handle
            #registration
        };
    }
}

/// The unit struct that stands for the tool.
fn handle(model: &ToolModel<'_>, name: &Ident) -> TokenStream {
    let cfgs = model.function.cfgs();
    let visibility = &model.function.visibility;
    let doc = format!("The tool `{}`.", model.name.value());
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #[derive(Clone, Copy, Debug)]
        #visibility struct #name;
    }
}

fn implement_handle(name: &Ident) -> TokenStream {
    quote! {
        impl __pi::IntoTool for #name {
            fn into_tool(self) -> __pi::Box<dyn __pi::ErasedTool> {
                __pi::Box::new(&__PI_TOOL)
            }
        }
    }
}

/// The structs of the arguments with attributes of serde or schemars, which only their derives understand.
fn fields(model: &ToolModel<'_>) -> Option<TokenStream> {
    let fields: Vec<_> = model
        .arguments()
        .enumerate()
        .filter(|(_, argument)| argument.is_field())
        .map(|(index, Argument { field, ty, docs, forwarded, .. })| {
            let name = field_struct(index);
            quote! {
                #[derive(__pi::Deserialize, __pi::JsonSchema)]
                #[serde(crate = "__pi::serde")]
                #[schemars(crate = "__pi::schemars")]
                struct #name { #(#docs)* #(#forwarded)* #field: #ty }
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

fn field_struct(index: usize) -> Ident {
    format_ident!("__PiField{index}")
}

/// The arguments while they are decoded.
fn slots(model: &ToolModel<'_>) -> TokenStream {
    let mut slots = Vec::new();
    let mut arms = Vec::new();
    for (index, argument) in model.arguments().enumerate() {
        let Argument { field, name, ty, .. } = argument;
        if argument.is_field() {
            let name_of_struct = field_struct(index);
            slots.push(quote!(#field: __pi::core::option::Option<#name_of_struct>));
            arms.push(
                quote!(#index => self.#field = __pi::core::option::Option::Some(__pi::field(#name, present, value)?)),
            );
        } else {
            slots.push(quote!(#field: __pi::core::option::Option<#ty>));
            let decode = quote_spanned!(ty.span()=> <#ty as __pi::Deserialize>::deserialize(value)?);
            arms.push(quote!(#index => self.#field = __pi::core::option::Option::Some(#decode)));
        }
    }
    quote! {
        struct __PiSlots { #(#slots),* }

        impl<'de> __pi::Slots<'de> for __PiSlots {
            #[allow(unused_variables)]
            fn fill<__PiValue: __pi::Deserializer<'de>>(
                &mut self,
                index: __pi::core::primitive::usize,
                present: __pi::core::primitive::bool,
                value: __PiValue,
            ) -> __pi::core::result::Result<(), __PiValue::Error> {
                match index {
                    #(#arms,)*
                    _ => {}
                }
                __pi::core::result::Result::Ok(())
            }
        }
    }
}

fn tool(model: &ToolModel<'_>) -> TokenStream {
    let spec = spec(model);
    let arguments = model.arguments().enumerate().map(|(index, argument)| {
        let Argument { name, ty, doc, .. } = argument;
        let is_field = argument.is_field();
        // A field's struct has the docs.
        let (doc, schema) = if is_field {
            let name_of_struct = field_struct(index);
            (quote!(""), quote!(__pi::of_field::<#name_of_struct>))
        } else {
            (doc.expression.clone(), quote_spanned!(ty.span()=> __pi::of_value::<#ty>))
        };
        quote!(__pi::Argument { name: #name, doc: #doc, schema: #schema, is_field: #is_field })
    });
    let states = model
        .states()
        .map(|Reference { target, .. }| quote_spanned!(target.span()=> <#target as __pi::SessionState>::KEY));
    let empty: Vec<_> =
        model.arguments().map(|Argument { field, .. }| quote!(#field: __pi::core::option::Option::None)).collect();
    let start = start(model, &empty);
    quote! {
        #[allow(unused_variables)]
        static __PI_TOOL: __pi::FunctionTool = __pi::FunctionTool {
            spec: #spec,
            arguments: &[#(#arguments),*],
            is_optional: |index| __pi::is_optional(__PiSlots { #(#empty),* }, index),
            states: &[#(#states),*],
            start: #start,
        };
    }
}

fn spec(model: &ToolModel<'_>) -> TokenStream {
    let ToolModel { name, label, guidelines, .. } = model;
    let description = &model.description.expression;
    let snippet = model.prompt_snippet.iter().map(|snippet| quote!(.prompt_snippet(#snippet)));
    let guidelines = (!guidelines.is_empty()).then(|| quote!(.guidelines(&[#(#guidelines),*])));
    let execution = model.execution.iter().map(|execution| {
        let execution = match execution.value {
            Execution::Sequential => quote!(Sequential),
            Execution::Parallel => quote!(Parallel),
        };
        quote!(.execution(__pi::Execution::#execution))
    });
    let renames: Vec<_> = model
        .arguments()
        .flat_map(|Argument { name, aliases, .. }| {
            aliases.iter().map(move |alias| quote!(__pi::Rename { from: #alias, to: #name }))
        })
        .collect();
    let renames = (!renames.is_empty()).then(|| quote!(.renames(&[#(#renames),*])));
    let needs: Vec<_> = model.ambients().map(|Reference { target, .. }| quote!(__pi::Need::of::<#target>())).collect();
    let needs = (!needs.is_empty()).then(|| quote!(.needs(&[#(#needs),*])));
    quote!(__pi::ToolSpec::new(#name, #label, #description) #(#snippet)* #guidelines #(#execution)* #renames #needs)
}

/// Decodes the arguments, copies the states, and calls the function, in a future or in a closure.
fn start(model: &ToolModel<'_>, empty: &[TokenStream]) -> TokenStream {
    let function = &model.function.signature;
    // Hygienic: the function may have any of these names.
    let [call, slots, cx] = ["call", "slots", "cx"].map(|name| Ident::new(name, Span::mixed_site()));
    let states: Vec<_> = (0..model.states().count()).map(|index| format_ident!("__pi_state{index}")).collect();
    // At the type, where the compiler shows once what it lacks.
    let copies =
        model.states().map(|Reference { target, .. }| quote_spanned!(target.span()=> #call.state::<#target>()?));
    let stores = model
        .states()
        .zip(&states)
        .map(|(Reference { target, .. }, state)| quote_spanned!(target.span()=> .state::<#target>(&#state)?));
    let mut next_state = states.iter();
    let values = model.parameters.iter().map(|parameter| match parameter {
        Parameter::Argument(argument @ Argument { field, .. }) => {
            let inner = argument.is_field().then(|| quote!(.#field));
            quote!(__pi::filled(#slots.#field)#inner)
        }
        Parameter::Ambient(Reference { target, .. }) => {
            // As the expansion's own code: for the user's, the compiler would suggest to borrow once more.
            let at = Span::call_site().located_at(target.span());
            quote_spanned!(at=> <#target as __pi::FromContext>::from_context(#cx)?)
        }
        Parameter::State(_) => {
            let state = next_state.next();
            quote!(&mut #state)
        }
    });
    let name = &function.ident;
    let awaited = function.asyncness.map(|_| quote!(.await));
    // The compiler shows a result that is none where its type is written.
    let result = match &function.output {
        ReturnType::Default => name.span(),
        ReturnType::Type(_, ty) => ty.span(),
    };
    let output = Ident::new("__pi_output", result);
    let convert = quote_spanned!(result=> __pi::IntoToolOutput::into_tool_output(#output));
    let body = quote! {
        let #output = #name(#(#values),*) #awaited;
        __pi::core::result::Result::Ok(__pi::Finished::new(#convert?) #(#stores)*)
    };
    // A future borrows the context; a closure goes to another thread with a clone.
    let started = if function.asyncness.is_some() {
        quote! {
            let #cx = #call.cx;
            __pi::Started::new(async move { #body })
        }
    } else {
        quote! {
            let #cx = __pi::core::clone::Clone::clone(#call.cx);
            __pi::Started::blocking(move || {
                let #cx = &#cx;
                #body
            })
        }
    };
    quote! {
        |#call| {
            let #slots = __pi::decode(__PI_TOOL.arguments, __PiSlots { #(#empty),* }, #call.arguments)?;
            #(let mut #states = #copies;)*
            __pi::core::result::Result::Ok({ #started })
        }
    }
}
