//! Whether the body of a function may wait. One that surely does not is run in place: its future needs no box.

use proc_macro2::{Spacing, TokenStream, TokenTree};
use syn::{Attribute, Ident};

use crate::item::Function;

/// Macros whose own code waits for nothing. What they are given is looked at like everything else.
const MACROS: &[&str] = &[
    "anyhow",
    "assert",
    "assert_eq",
    "assert_ne",
    "bail",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "ensure",
    "env",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "include_str",
    "json",
    "matches",
    "panic",
    "print",
    "println",
    "smallvec",
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
    let mut name = None;
    tokens.into_iter().any(|token| {
        let before = name.take();
        match token {
            TokenTree::Group(group) => waits(group.stream()),
            TokenTree::Ident(ident) => {
                let ident = name.insert(ident.to_string());
                ident == "await"
            }
            // After a name it calls a macro, if it is not the half of `!=`; after a keyword it does not.
            TokenTree::Punct(punct) if punct.as_char() == '!' && punct.spacing() == Spacing::Alone => {
                before.is_some_and(|name| !MACROS.contains(&name.as_str()) && syn::parse_str::<Ident>(&name).is_ok())
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

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
            "if a != b && !c { return Err(anyhow!(\"no\")) } Ok(std::format!(\"{a}\"))",
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
        ] {
            assert!(may_wait(&format!("async fn f() {{ {body} }}")), "{body}");
        }
        assert!(may_wait("#[instrument] async fn f() {}"));
        assert!(may_wait("#[tracing::instrument] async fn f() {}"));
    }
}
