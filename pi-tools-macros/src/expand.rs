//! From the model to tokens. It cannot fail: what could is checked before.
//!
//! ```text
//! // Input:                    // Output:
//! /// Manage to-dos.           async fn todo(action: Action, todos: &mut Todos, cx: &ToolContext) -> String { .. }
//! #[pi_tool]                   const _: () = {
//! async fn todo(                   use ::pi_tools::__private as __pi;
//!     /// What to do.              struct __PiSlots { action: Option<Action> }
//!     action: Action,              impl<'de> __pi::Slots<'de> for __PiSlots { .. finds and decodes an argument .. }
//!     todos: &mut Todos,           static __PI_TOOL: __pi::FunctionTool = __pi::FunctionTool {
//!     cx: &ToolContext,                .. all that is known of the tool, as data ..
//! ) -> String { .. }                   start: |call, place| .. todo(slots.action, &mut state, cx) ..
//!                                  };
//!                                  __pi::submit! { __pi::Registration(&__PI_TOOL) }
//!                              };
//! ```
//!
//! Every line of it is compiled for every tool, so it is little, and what it calls is generic over types that recur.

mod arguments;
mod data;
mod start;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use crate::model::{Reference, ToolModel};
use arguments::{defaults, empty_slots, fields, slots};
use data::{spec, table_row};
use start::{returned, start};

pub(crate) fn expand(model: &ToolModel<'_>) -> TokenStream {
    let function = model.function;
    let cfgs: Vec<_> = function.cfgs().collect();
    let krate = &model.krate;
    let handle_name = model.typed.handle.as_ref().map(|set| &set.value);
    let handle = handle_name.map(|name| handle(model, name));
    let implement_handle = handle_name.map(implement_handle);
    let fields = fields(model);
    let defaults = defaults(model);
    let slots = slots(model);
    let tool = tool(model);
    let registration = model.is_registered.then(|| quote!(__pi::submit! { __pi::Registration(&__PI_TOOL) }));
    quote! {
        // A tool owns its arguments, has one for each parameter of its schema, and is `async` when it does not block,
        // whether it awaits or not.
        #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments, clippy::unused_async)]
        #function

        #handle

        #(#cfgs)*
        #[allow(deprecated, non_snake_case, unused_qualifications, clippy::all, clippy::pedantic)]
        const _: () = {
            use #krate::__private as __pi;

            #fields
            #defaults
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
    // At the name, where the compiler shows that it is taken.
    let item = quote_spanned!(name.span()=> #visibility struct #name;);
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #[derive(Clone, Copy, Debug)]
        #item
    }
}

fn implement_handle(name: &Ident) -> TokenStream {
    quote! {
        // A handle for tests alone is no dead code elsewhere.
        const _: #name = #name;

        impl __pi::IntoTool for #name {
            fn into_tool(self) -> __pi::Box<dyn __pi::ErasedTool> {
                __pi::Box::new(&__PI_TOOL)
            }
        }
    }
}

/// A name for a variable of the expansion. It means the same at any place of the user's, also in his `macro_rules!`, and
/// is no name of an item of his.
fn local(name: &str) -> Ident {
    Ident::new(&format!("__pi_{name}"), Span::mixed_site())
}

fn tool(model: &ToolModel<'_>) -> TokenStream {
    let spec = spec(model);
    let arguments = model.arguments().enumerate().map(|(index, argument)| table_row(index, argument));
    let states = model.states().map(|Reference { target, cfgs, .. }| {
        let key = quote_spanned!(target.span()=> <#target as __pi::SessionState>::KEY);
        quote!(#(#cfgs)* #key)
    });
    let empty = empty_slots(model);
    let start = start(model, &empty);
    let returned = returned(&model.function.signature);
    let is_flattened = model.arguments().any(|argument| argument.is_flattened);
    let slot = local("slot");
    quote! {
        #[allow(unused_variables)]
        static __PI_TOOL: __pi::FunctionTool = __pi::FunctionTool {
            spec: #spec,
            module: __pi::core::module_path!(),
            is_executable: __pi::core::option_env!("CARGO_BIN_NAME").is_some(),
            arguments: &[#(#arguments),*],
            is_flattened: #is_flattened,
            is_optional: |#slot| __pi::is_optional(#empty, #slot),
            states: &[#(#states),*],
            parameters: __pi::OnceLock::new(),
            output_schema: #returned::output_schema,
            start: #start,
        };
    }
}
