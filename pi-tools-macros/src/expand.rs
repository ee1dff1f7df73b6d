//! From the model to tokens. It cannot fail: what could is checked before.
//!
//! ```text
//! // Input:                                  // Output:
//! /// Manage to-dos.                         async fn todo(action: Action, todos: &mut Todos, cx: &ToolContext) -> String { .. }
//! #[pi_tool]                                 const _: () = {
//! async fn todo(                                 use ::pi_tools::__private as __pi;
//!     /// What to do.                            #[derive(__pi::Deserialize, __pi::JsonSchema)]
//!     action: Action,                            struct __PiArguments { action: Action }
//!     todos: &mut Todos,                         struct __PiTool;
//!     cx: &ToolContext,                          impl __pi::Tool for __PiTool { .. todo(arguments.action, &mut state.0, cx) .. }
//! ) -> String { .. }                             __pi::submit! { __pi::Registration::new::<__PiTool>() }
//!                                            };
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Index, ReturnType};

use crate::args::keys::Execution;
use crate::model::{Argument, Parameter, Reference, ToolModel};

pub(crate) fn expand(model: &ToolModel<'_>) -> TokenStream {
    let function = model.function;
    let cfgs: Vec<_> = function.cfgs().collect();
    let krate = &model.krate;
    let handle = handle(model);
    let (handle_outside, handle_inside) =
        if model.handle.is_some() { (Some(handle), None) } else { (None, Some(handle)) };
    let arguments = arguments(model);
    let implementation = implementation(model);
    let registration = registration(model);
    quote! {
        // A tool owns its arguments, and is `async` when it does not block, whether it awaits or not.
        #[allow(clippy::needless_pass_by_value, clippy::unused_async)]
        #function

        #handle_outside

        #(#cfgs)*
        const _: () = {
            use #krate::__private as __pi;
            // The derives call `into`, which is not everywhere in scope.
            #[allow(unused_imports)]
            use __pi::core::convert::Into as _;

            #handle_inside
            #arguments
            #implementation
            #registration
        };
    }
}

fn handle_name(model: &ToolModel<'_>) -> Ident {
    model.handle.clone().unwrap_or_else(|| Ident::new("__PiTool", Span::call_site()))
}

fn handle(model: &ToolModel<'_>) -> TokenStream {
    let cfgs = model.function.cfgs();
    let visibility = model.handle.as_ref().map(|_| &model.function.visibility);
    let name = handle_name(model);
    let doc = format!("The tool `{}`.", model.name.value());
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #[derive(Clone, Copy, Debug, Default)]
        #visibility struct #name;
    }
}

/// The struct that the model's arguments decode into.
fn arguments(model: &ToolModel<'_>) -> TokenStream {
    let fields = model
        .arguments()
        .map(|Argument { field, ty, docs, forwarded, .. }| quote!(#(#docs)* #(#forwarded)* #field: #ty));
    quote! {
        #[derive(__pi::Deserialize, __pi::JsonSchema)]
        #[serde(crate = "__pi::serde", deny_unknown_fields)]
        #[schemars(crate = "__pi::schemars")]
        // As visible as a handle can be, whose arguments they are.
        #[doc(hidden)]
        #[allow(unreachable_pub)]
        pub struct __PiArguments { #(#fields,)* }
    }
}

fn implementation(model: &ToolModel<'_>) -> TokenStream {
    let handle = handle_name(model);
    let spec = spec(model);
    let state = state(model);
    let call = call(model);
    quote! {
        impl __pi::Tool for #handle {
            type Arguments = __PiArguments;
            type State = #state;

            fn spec(&self) -> &'static __pi::ToolSpec {
                static SPEC: __pi::ToolSpec = #spec;
                &SPEC
            }

            #[allow(unused_variables)]
            async fn call(
                &self,
                arguments: __PiArguments,
                state: &mut Self::State,
                cx: &__pi::ToolContext,
            ) -> __pi::core::result::Result<__pi::ToolOutput, __pi::ToolError> {
                #call
            }
        }
    }
}

fn spec(model: &ToolModel<'_>) -> TokenStream {
    let ToolModel { name, label, guidelines, .. } = model;
    let description = &model.description.expression;
    let snippet = model.prompt_snippet.iter();
    let execution = model.execution.iter().map(|execution| match execution.value {
        Execution::Sequential => quote!(Sequential),
        Execution::Parallel => quote!(Parallel),
    });
    let renames = model.arguments().flat_map(|Argument { name, aliases, .. }| {
        aliases.iter().map(move |alias| quote!(__pi::Rename { from: #alias, to: #name }))
    });
    let needs = model.ambients().map(|Reference { target, .. }| quote!(__pi::Need::of::<#target>()));
    let blocking = model.function.signature.asyncness.is_none().then(|| quote!(.blocking()));
    quote! {
        __pi::ToolSpec::new(#name, #label, #description)
            #(.prompt_snippet(#snippet))*
            .guidelines(&[#(#guidelines),*])
            #(.execution(__pi::Execution::#execution))*
            .renames(&[#(#renames),*])
            .needs(&[#(#needs),*])
            #blocking
    }
}

/// `(First, (Second, ()))`, each pair at its type, where the compiler shows what is missing.
fn state(model: &ToolModel<'_>) -> TokenStream {
    let states: Vec<_> = model.states().collect();
    states
        .iter()
        .rev()
        .fold(quote!(()), |rest, Reference { target, .. }| quote_spanned!(target.span()=> (#target, #rest)))
}

fn call(model: &ToolModel<'_>) -> TokenStream {
    let function = &model.function.signature.ident;
    let mut states = 0;
    let values = model.parameters.iter().map(|parameter| match parameter {
        Parameter::Argument(Argument { field, .. }) => quote!(arguments.#field),
        Parameter::Ambient(Reference { target, .. }) => {
            // As the expansion's own code: for the user's, the compiler would suggest to borrow once more.
            let at = Span::call_site().located_at(target.span());
            quote_spanned!(at=> <#target as __pi::FromContext>::from_context(cx)?)
        }
        Parameter::State(_) => {
            let path = std::iter::repeat_n(Index::from(1), states);
            states += 1;
            quote!(&mut state #(.#path)*.0)
        }
    });
    let awaited = model.function.signature.asyncness.map(|_| quote!(.await));
    // The compiler shows a result that is none where its type is written.
    let output = match &model.function.signature.output {
        ReturnType::Default => function.to_token_stream(),
        ReturnType::Type(_, ty) => ty.to_token_stream(),
    };
    let convert = quote_spanned!(output.span()=> __pi::IntoToolOutput::into_tool_output(output));
    quote! {
        let output = #function(#(#values),*) #awaited;
        #convert
    }
}

fn registration(model: &ToolModel<'_>) -> Option<TokenStream> {
    let handle = handle_name(model);
    model.register.value.then(|| quote!(__pi::submit! { __pi::Registration::new::<#handle>() }))
}
