//! Whether the body of a function may wait. One that surely does not is run in place: its future needs no box.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::{Attribute, Ident};

use crate::item::Function;

/// The standard library's macros, which wait for nothing. What they are given is looked at like everything else.
const MACROS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "include_str",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Attributes that leave a function as it is. Others may wrap its body into what waits.
const ATTRIBUTES: &[&str] =
    &["allow", "cfg", "cold", "deny", "deprecated", "doc", "expect", "inline", "must_use", "track_caller", "warn"];

impl Function {
    /// Whether its future may be pending: it awaits, or has something of which that cannot be seen.
    pub(crate) fn may_wait(&self) -> bool {
        let is_known = |attribute: &Attribute| ATTRIBUTES.iter().any(|name| attribute.path().is_ident(name));
        !self.attributes.iter().all(is_known) || waits(self.body.clone())
    }
}

fn waits(tokens: TokenStream) -> bool {
    // What stands before a token, if it is a path.
    let mut path = None::<String>;
    tokens.into_iter().any(|token| {
        let before = path.take();
        match token {
            TokenTree::Group(group) => {
                // `macro_rules!` puts a `$macro:path` into a group that nobody sees.
                path = (group.delimiter() == Delimiter::None).then(|| group.stream().to_string().replace(' ', ""));
                waits(group.stream())
            }
            TokenTree::Ident(ident) => {
                let is_await = ident == "await";
                let before = before.filter(|path| path.ends_with("::")).unwrap_or_default();
                path = Some(format!("{before}{ident}"));
                is_await
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                path = before.map(|path| path + ":");
                false
            }
            // After a path it calls a macro, if it is not the half of `!=`; after a keyword it does not.
            TokenTree::Punct(punct) if punct.as_char() == '!' && punct.spacing() == Spacing::Alone => {
                before.is_some_and(|path| !is_of_std(&path) && !is_keyword(&path))
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        }
    })
}

fn is_of_std(path: &str) -> bool {
    let (of, name) = path.rsplit_once("::").unwrap_or(("std", path));
    matches!(of, "std" | "core" | "alloc") && MACROS.contains(&name)
}

fn is_keyword(path: &str) -> bool {
    !path.contains(':') && syn::parse_str::<Ident>(path).is_err()
}

#[cfg(test)]
mod tests {
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    use quote::quote;

    use super::waits;
    use crate::errors::Errors;
    use crate::item::Function;

    fn may_wait(function: &str) -> bool {
        let tokens: TokenStream = function.parse().unwrap();
        let mut errors = Errors::new();
        let function = Function::read(&tokens, &mut errors).unwrap();
        errors.finish().unwrap();
        function.may_wait()
    }

    #[test]
    fn what_does_not_await_ends_at_once() {
        for body in [
            "",
            "format!(\"{} {}\", a, vec![1].len())",
            "if a != b && !c { return Err(format!(\"no\")) } Ok(std::format!(\"{a}\"))",
            "::std::println!(); A { a: format!(\"\") }",
            "match a { Some(a) if !(a > 1) => a, _ => panic!(\"none\") }",
        ] {
            assert!(!may_wait(&format!("/// Does it.\n#[must_use] async fn f() {{ {body} }}")), "{body}");
        }
    }

    #[test]
    fn what_awaits_or_might_waits() {
        for body in [
            "g().await",
            "{ { g(vec![h().await]) } }",
            "format!(\"{}\", g().await)",
            "tokio::select! { _ = a => {} }",
            "my_macro!()",
            "join!(a, b)",
            "json!(a)",
            "own::format!(a)",
            "crate::std::format!(a)",
        ] {
            assert!(may_wait(&format!("async fn f() {{ {body} }}")), "{body}");
        }
        let path = TokenTree::Group(Group::new(Delimiter::None, quote!(crate::own::format)));
        assert!(waits(quote!(#path!(a))));
        assert!(may_wait("#[instrument] async fn f() {}"));
        assert!(may_wait("#[tracing::instrument] async fn f() {}"));
    }
}
