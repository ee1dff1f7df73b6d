//! A few expansions as text, for review: one file each in `snapshots/`. Run with `PI_TOOLS_BLESS=1` to write them anew.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

use crate::{string_enum, tool};

fn check(name: &str, expansion: TokenStream) {
    let expansion = prettyplease::unparse(&syn::parse2(expansion).expect("an expansion is items"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/snapshots").join(name).with_extension("rs");
    if std::env::var_os("PI_TOOLS_BLESS").is_some() {
        std::fs::write(&path, &expansion).unwrap();
    }
    // As text, not with `assert_eq!`: its one line with escapes cannot be read.
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(recorded == expansion, "{name} expands to this now; run again with PI_TOOLS_BLESS=1\n\n{expansion}");
}

#[test]
fn smallest() {
    let item = quote! {
        /// Do something.
        async fn smallest() {}
    };
    check("smallest", tool(TokenStream::new(), &item));
}

#[test]
fn arguments() {
    let item = quote! {
        /// Search.
        async fn search(
            /// What to search for.
            #[arg(alias = "query")]
            text: String,
            /// At most so many results.
            #[arg(default = 10, range = 1..=50)]
            limit: u32,
        ) -> String {
            format!("{text} {limit}")
        }
    };
    check("arguments", tool(TokenStream::new(), &item));
}

#[test]
fn references() {
    let item = quote! {
        /// Count, and block.
        fn count(cx: &ToolContext, total: &mut Total) -> Result<(), ToolError> {
            total.count(cx)
        }
    };
    check("references", tool(TokenStream::new(), &item));
}

#[test]
fn forwarded() {
    let item = quote! {
        /// Note something.
        async fn note(
            /// In short.
            #[serde(default)]
            title: String,
        ) {}
    };
    check("forwarded", tool(TokenStream::new(), &item));
}

#[test]
fn choice() {
    let item = quote! {
        /// A unit.
        enum Unit {
            /// Of length.
            #[string_enum(alias = "meter")]
            Metre,
            Second,
        }
    };
    check("choice", string_enum::derive(item));
}

#[test]
fn mistakes() {
    let item = quote! {
        /// Greet someone.
        async fn greet(name: String) -> String {
            format!("Hello, {name}!")
        }
    };
    check("mistakes", tool(quote!(lable = "Greet"), &item));
}
