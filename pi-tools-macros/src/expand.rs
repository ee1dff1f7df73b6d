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

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta, ReturnType, Type};

use crate::args::Set;
use crate::bounds::{Bounds, Number};
use crate::model::{Argument, Parameter, Reference, ToolModel};

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

/// The structs of the arguments with attributes of serde or schemars, which only their derives understand.
fn fields(model: &ToolModel<'_>) -> Option<TokenStream> {
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
            let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
            let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
            let parts = tokens.split(is_comma).map(|part| match part {
                [TokenTree::Ident(key)] if key == "default" => {
                    is_default = true;
                    let function = function.to_string();
                    quote_spanned!(key.span()=> #key = #function)
                }
                part => part.iter().cloned().collect(),
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

fn field_struct(index: usize) -> Ident {
    format_ident!("__PiField{index}")
}

/// A name for a variable of the expansion. It means the same at any place of the user's, also in his `macro_rules!`, and
/// is no name of an item of his.
fn local(name: &str) -> Ident {
    Ident::new(&format!("__pi_{name}"), Span::mixed_site())
}

/// The arguments while they are decoded.
fn slots(model: &ToolModel<'_>) -> TokenStream {
    let [slot, present, value] = ["slot", "present", "value"].map(local);
    let mut slots = Vec::new();
    let mut arms = Vec::new();
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
        slots.push(quote!(#(#cfgs)* #field: __pi::core::option::Option<#of>));
        arms.push(quote!(#(#cfgs)* #index => self.#field = __pi::core::option::Option::Some(#filled)));
    }
    quote! {
        struct __PiSlots { #(#slots),* }

        impl<'de> __pi::Slots<'de> for __PiSlots {
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
fn defaults(model: &ToolModel<'_>) -> TokenStream {
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

fn default_function(index: usize) -> Ident {
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

fn tool(model: &ToolModel<'_>) -> TokenStream {
    let spec = spec(model);
    let arguments = model.arguments().enumerate().map(|(index, argument)| table_row(index, argument));
    let states = model.states().map(|Reference { target, cfgs, .. }| {
        let key = quote_spanned!(target.span()=> <#target as __pi::SessionState>::KEY);
        quote!(#(#cfgs)* #key)
    });
    let empty = empty_slots(model);
    let start = start(model, &empty);
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
            start: #start,
        };
    }
}

fn empty_slots(model: &ToolModel<'_>) -> TokenStream {
    let empty = model
        .arguments()
        .map(|Argument { field, cfgs, .. }| quote!(#(#cfgs)* #field: __pi::core::option::Option::None));
    quote!(__PiSlots { #(#empty),* })
}

/// What is known of an argument, as data.
fn table_row(slot: usize, argument: &Argument<'_>) -> TokenStream {
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
    if let Some(range) = &argument.range {
        if let Some(Set { value: written, .. }) = &typed.range {
            let [least, greatest] = [range.min, range.greatest()].map(|number| match number {
                Some(Number::Integer(number)) => quote!(__pi::core::option::Option::Some(#number)),
                _ => quote!(__pi::core::option::Option::None),
            });
            // A constant each, so that all are told.
            checks.push(quote_spanned!(written.span()=>
                const _: () = __pi::check_range::<#ty>(#least, #greatest);
            ));
        }
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
    let mutates = typed.mutates.as_ref().is_some_and(|set| set.value);
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
            mutates: #mutates,
        }
    }
}

fn bounds(bounds: &Bounds, min: &str, max: &str) -> Vec<TokenStream> {
    let max = if bounds.is_exclusive { "exclusiveMaximum" } else { max };
    let least = bounds.min.iter().map(|number| quote!((#min, #number)));
    let greatest = bounds.max.iter().map(|number| quote!((#max, #number)));
    least.chain(greatest).collect()
}

fn spec(model: &ToolModel<'_>) -> TokenStream {
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
    let integers = [("max_lines", &typed.max_lines), ("max_bytes", &typed.max_bytes)];
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

/// Decodes the arguments, copies the states, and calls the function, in a future or in a closure.
fn start(model: &ToolModel<'_>, empty: &TokenStream) -> TokenStream {
    let function = &model.function.signature;
    let [call, slots, cx, finished] = ["call", "slots", "cx", "finished"].map(local);
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
    let mut next_state = states.iter();
    let values: Vec<_> = model
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
        .collect();
    // The compiler shows a result that is none where its type is written.
    let result = match &function.output {
        ReturnType::Default => function.ident.span(),
        ReturnType::Type(_, ty) => ty.span(),
    };
    let output = Ident::new("__pi_output", result);
    let name = &function.ident;
    let calls = calls(model, &output, &values);
    let details = model.builtin().map(|builtin| {
        let details = format_ident!("{}", builtin.details);
        quote_spanned!(result=> __pi::check_details::<__pi::builtin::#details, _>(&#output);)
    });
    let convert = quote_spanned!(result=> __pi::IntoToolOutput::into_tool_output(#output));
    let body = quote! {
        #calls
        #details
        let #finished = __pi::Finished::new(#convert?);
        #(#stores)*
        __pi::core::result::Result::Ok(#finished)
    };
    // A future borrows the context; a closure goes to another thread with a clone.
    let started = if function.asyncness.is_some() {
        // At the function's name, where the compiler shows what keeps the future on its thread.
        let started = quote_spanned!(name.span()=> __pi::Started::new);
        quote! {
            let #cx = #call.cx;
            #started(async move { #body })
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
    let decode = if model.arguments().any(|argument| argument.is_flattened) {
        quote!(__pi::decode_flattened(#empty, #call.arguments)?)
    } else {
        quote!(__pi::decode(__PI_TOOL.arguments, #empty, #call.arguments)?)
    };
    quote! {
        |#call| {
            let #slots = #decode;
            #(#copies)*
            __pi::core::result::Result::Ok({ #started })
        }
    }
}

/// The call of the function. An attribute cannot remove a value of a call, so with `#[cfg]` on parameters there is a
/// call for each combination, of which one is compiled.
fn calls(model: &ToolModel<'_>, output: &Ident, values: &[(&[Attribute], TokenStream)]) -> TokenStream {
    let name = &model.function.signature.ident;
    let awaited = model.function.signature.asyncness.map(|_| quote!(.await));
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
        quote!(#cfg let #output = #name(#(#values),*) #awaited;)
    });
    quote!(#(#combinations)*)
}
