//! `#[derive(StringEnum)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Attribute, Fields, Generics, Ident, Item, LitStr, Meta, Path, parse_quote};

use crate::args::keys::{STRING_ENUM, STRING_ENUM_VARIANT};
use crate::args::{self, Key};
use crate::case::{CASES, snake};
use crate::errors::Errors;
use crate::item;

struct Model {
    name: Ident,
    /// Only where they are reported.
    generics: Generics,
    krate: Path,
    doc: TokenStream,
    variants: Vec<Variant>,
}

struct Variant {
    name: Ident,
    value: LitStr,
    aliases: Vec<LitStr>,
    doc: TokenStream,
}

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let model = read(item, &mut errors);
    let errors = errors.finish().err().map(syn::Error::into_compile_error);
    let values = model.as_ref().map(|model| if errors.is_none() { values(model) } else { no_values(model) });
    let traits = model.as_ref().zip(values).map(|(model, values)| traits(model, &values));
    quote!(#traits #errors)
}

fn read(item: TokenStream, errors: &mut Errors) -> Option<Model> {
    let (name, generics, attributes, variants) = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Enum(item)) => (item.ident, item.generics, item.attrs, Some(item.variants)),
        Ok(Item::Struct(item)) => (item.ident, item.generics, item.attrs, None),
        Ok(Item::Union(item)) => (item.ident, item.generics, item.attrs, None),
        _ => {
            errors.push(item, "`StringEnum` is for enums: a choice of words");
            return None;
        }
    };
    match &variants {
        None => errors.push(&name, "`StringEnum` is for a choice of words: write an `enum`"),
        Some(variants) if variants.is_empty() => {
            errors.push(&name, "a string enum needs a variant: there is nothing to choose, so write one");
        }
        Some(_) => {}
    }
    if !generics.params.is_empty() {
        errors.push(&generics, "a string enum has no data that could be generic: remove the parameters");
    }
    let args = attribute(&attributes, STRING_ENUM, errors);
    let case = match args.rename_all {
        None => snake,
        Some(set) => match CASES.iter().find(|(name, _)| *name == set.value.value()) {
            Some((_, case)) => *case,
            None => {
                let names: Vec<String> = CASES.iter().map(|(name, _)| format!("`{name}`")).collect();
                errors.push(&set.value, format!("unknown case: write one of {}", names.join(", ")));
                snake
            }
        },
    };
    let mut read_variants = Vec::new();
    for variant in variants.into_iter().flatten() {
        if !matches!(variant.fields, Fields::Unit) {
            errors.push(
                &variant.fields,
                format!("`{}` has data: a string enum has only names. Derive serde's and schemars' traits for an enum with data", variant.ident),
            );
        }
        let args = attribute(&variant.attrs, STRING_ENUM_VARIANT, errors);
        let value = args.rename.map(|set| set.value);
        read_variants.push(Variant {
            value: value
                .unwrap_or_else(|| LitStr::new(&case(&variant.ident.unraw().to_string()), variant.ident.span())),
            aliases: args.aliases,
            doc: item::doc(&variant.attrs).expression,
            name: variant.ident,
        });
    }
    distinct(&read_variants, errors);
    let krate = args.krate.map_or_else(|| parse_quote!(::pi_tools), |set| set.value);
    Some(Model { name, generics, krate, doc: item::doc(&attributes).expression, variants: read_variants })
}

/// `#[string_enum(..)]`, or serde's attribute of the same words.
fn attribute<T: Default>(attributes: &[Attribute], keys: &[Key<T>], errors: &mut Errors) -> T {
    let mut tokens = TokenStream::new();
    for attribute in attributes {
        if !attribute.path().is_ident("string_enum") && !attribute.path().is_ident("serde") {
            continue;
        }
        match &attribute.meta {
            Meta::List(list) => {
                let list = &list.tokens;
                tokens.extend(quote!(#list,));
            }
            _ => errors.push(attribute, "wrong form: write `#[string_enum(key = value)]`"),
        }
    }
    args::read(tokens, "string_enum", keys, errors).args
}

fn distinct(variants: &[Variant], errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for value in variants.iter().flat_map(|variant| std::iter::once(&variant.value).chain(&variant.aliases)) {
        let text = value.value();
        if text.is_empty() {
            errors.push(value, "the value is empty, which some providers refuse: write a word");
        }
        if seen.contains(&text) {
            errors.push(value, format!("`{text}` is taken: write a value that no variant and no other alias has"));
        }
        seen.push(text);
    }
}

/// The trait itself.
fn values(Model { name, variants, .. }: &Model) -> TokenStream {
    let names: Vec<_> = variants.iter().map(|variant| &variant.name).collect();
    let values: Vec<_> = variants.iter().map(|variant| &variant.value).collect();
    let aliases: Vec<_> = variants.iter().map(|variant| &variant.aliases).collect();
    let pairs = variants
        .iter()
        .flat_map(|Variant { value, aliases, .. }| aliases.iter().map(move |alias| quote!((#alias, #value))));
    quote! {
        #[automatically_derived]
        impl __pi::StringEnum for #name {
            const VALUES: &'static [&'static __pi::core::primitive::str] = &[#(#values),*];
            const ALIASES: &'static [(&'static __pi::core::primitive::str, &'static __pi::core::primitive::str)] = &[#(#pairs),*];

            fn as_str(&self) -> &'static __pi::core::primitive::str {
                match self {
                    #(Self::#names => #values,)*
                }
            }

            fn from_value(__pi_value: &__pi::core::primitive::str) -> __pi::core::option::Option<Self> {
                __pi::core::option::Option::Some(match __pi_value {
                    #(#values #(| #aliases)* => Self::#names,)*
                    _ => return __pi::core::option::Option::None,
                })
            }
        }
    }
}

/// What stands for it on an error: without the trait, every use would be a second one.
fn no_values(Model { name, generics, .. }: &Model) -> TokenStream {
    let (parameters, arguments, conditions) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters __pi::StringEnum for #name #arguments #conditions {
            const VALUES: &'static [&'static __pi::core::primitive::str] = &[];

            fn as_str(&self) -> &'static __pi::core::primitive::str {
                loop {}
            }

            fn from_value(_: &__pi::core::primitive::str) -> __pi::core::option::Option<Self> {
                loop {}
            }
        }
    }
}

/// The traits that follow from it.
fn traits(Model { name, generics, krate, doc, variants }: &Model, values: &TokenStream) -> TokenStream {
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let mut of_de = generics.clone();
    of_de.params.insert(0, parse_quote!('de));
    let (parameters_of_de, _, _) = of_de.split_for_impl();
    let docs = variants.iter().map(|variant| &variant.doc);
    let schema_name = name.unraw().to_string();
    quote! {
        const _: () = {
            use #krate::__private as __pi;

            #values

            #[automatically_derived]
            impl #parameters __pi::core::fmt::Display for #name #arguments #conditions {
                fn fmt(&self, f: &mut __pi::core::fmt::Formatter<'_>) -> __pi::core::fmt::Result {
                    f.pad(__pi::StringEnum::as_str(self))
                }
            }

            #[automatically_derived]
            impl #parameters __pi::core::str::FromStr for #name #arguments #conditions {
                type Err = __pi::UnknownValue;

                fn from_str(__pi_value: &__pi::core::primitive::str) -> __pi::core::result::Result<Self, Self::Err> {
                    <Self as __pi::StringEnum>::from_value(__pi_value).ok_or_else(|| __pi::unknown_value::<Self>(__pi_value))
                }
            }

            #[automatically_derived]
            impl #parameters __pi::serde::Serialize for #name #arguments #conditions {
                fn serialize<S: __pi::serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> __pi::core::result::Result<S::Ok, S::Error> {
                    serializer.serialize_str(__pi::StringEnum::as_str(self))
                }
            }

            #[automatically_derived]
            impl #parameters_of_de __pi::serde::Deserialize<'de> for #name #arguments #conditions {
                fn deserialize<D: __pi::serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> __pi::core::result::Result<Self, D::Error> {
                    __pi::deserialize_string_enum(deserializer)
                }
            }

            #[automatically_derived]
            impl #parameters __pi::schemars::JsonSchema for #name #arguments #conditions {
                fn schema_name() -> __pi::Cow<'static, __pi::core::primitive::str> {
                    __pi::Cow::Borrowed(#schema_name)
                }

                fn schema_id() -> __pi::Cow<'static, __pi::core::primitive::str> {
                    __pi::Cow::Borrowed(__pi::core::concat!(__pi::core::module_path!(), "::", #schema_name))
                }

                fn json_schema(_: &mut __pi::schemars::SchemaGenerator) -> __pi::schemars::Schema {
                    __pi::string_enum_schema(
                        #doc,
                        <Self as __pi::StringEnum>::VALUES,
                        &[#(#docs),*],
                        <Self as __pi::StringEnum>::ALIASES,
                    )
                }
            }
        };
    }
}
