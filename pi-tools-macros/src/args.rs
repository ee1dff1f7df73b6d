//! What was typed between the parentheses of an attribute: a list of keys, read by a table.

pub(crate) mod keys;

use std::ops::Deref;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprRange, Ident, Lit, LitBool, LitInt, LitStr, Path, Token};

use crate::errors::Errors;
use keys::Word;

/// One key of an attribute.
pub(crate) struct Key<T> {
    pub(crate) name: &'static str,
    /// What to write, as it stands in messages and in the docs.
    pub(crate) form: &'static str,
    /// What it does, for the docs.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test writes the docs from it"))]
    pub(crate) doc: &'static str,
    pub(crate) read: fn(&mut T, Value<'_>),
}

/// A value, and the key it was written with: a complaint about either points at it.
pub(crate) struct Set<T> {
    pub(crate) key: Ident,
    pub(crate) value: T,
}

/// Reads the list `key = value, …` of `#[attribute(..)]`. What is wrong is reported, and the rest is read.
pub(crate) fn read<T: Default>(tokens: TokenStream, attribute: &str, keys: &[Key<T>], errors: &mut Errors) -> Typed<T> {
    let mut typed = T::default();
    let mut seen: Vec<Ident> = Vec::new();
    for part in split(tokens) {
        let mut rest = part.clone().into_iter();
        let Some(TokenTree::Ident(key)) = rest.next() else {
            errors.push(part, format!("expected a key: one of {}", names(keys)));
            continue;
        };
        let Some(row) = keys.iter().find(|row| key == row.name) else {
            errors.push(&key, unknown(&key.to_string(), attribute, keys));
            continue;
        };
        if seen.contains(&key) && key != keys::REPEATABLE {
            errors.push(&key, format!("`{key}` is given twice: keep one of them"));
            continue;
        }
        seen.push(key.clone());
        let value = match rest.next() {
            Some(TokenTree::Punct(punct)) if punct.as_char() == '=' => rest.collect(),
            Some(TokenTree::Ident(next)) => {
                errors.push(&next, format!("a comma is missing: write it before `{next}`"));
                continue;
            }
            _ => TokenStream::new(),
        };
        (row.read)(&mut typed, Value { key, tokens: value, part, form: row.form, errors });
    }
    Typed { keys: seen.iter().map(ToString::to_string).collect(), args: typed }
}

/// What was typed, and which keys: a value that could not be read is not a missing one.
#[derive(Default)]
pub(crate) struct Typed<T> {
    pub(crate) args: T,
    keys: Vec<String>,
}

impl<T> Typed<T> {
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|other| other == key)
    }
}

impl<T> Deref for Typed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.args
    }
}

/// The value of a key, not read yet.
pub(crate) struct Value<'a> {
    key: Ident,
    tokens: TokenStream,
    part: TokenStream,
    form: &'static str,
    errors: &'a mut Errors,
}

impl Value<'_> {
    pub(crate) fn text(self) -> Option<Set<LitStr>> {
        self.parse(syn::parse2)
    }

    pub(crate) fn texts(self) -> Option<Set<Vec<LitStr>>> {
        self.parse(|tokens| bracketed.parse2(tokens))
    }

    /// One text, or several in brackets.
    pub(crate) fn text_or_texts(self) -> Vec<LitStr> {
        let texts = self.parse(|tokens| match syn::parse2::<LitStr>(tokens.clone()) {
            Ok(one) => Ok(vec![one]),
            Err(_) => bracketed.parse2(tokens),
        });
        texts.map(|set| set.value).unwrap_or_default()
    }

    pub(crate) fn integer(self) -> Option<Set<LitInt>> {
        self.parse(|tokens| {
            let integer: LitInt = syn::parse2(tokens)?;
            integer.base10_parse::<u32>()?;
            plain(integer.suffix().is_empty(), integer)
        })
    }

    pub(crate) fn literals(self) -> Option<Set<Vec<Lit>>> {
        self.parse(|tokens| {
            let literals: Vec<Lit> = bracketed.parse2(tokens)?;
            literals.into_iter().map(json_literal).collect()
        })
    }

    pub(crate) fn expression(self) -> Option<Set<Expr>> {
        self.parse(|tokens| {
            let mut expression = syn::parse2(tokens)?;
            // `macro_rules!` wraps a `$default:expr` into a group that nobody sees.
            while let Expr::Group(group) = expression {
                expression = *group.expr;
            }
            Ok(expression)
        })
    }

    pub(crate) fn range(self) -> Option<Set<ExprRange>> {
        self.parse(syn::parse2)
    }

    /// One of a few words, written as a text.
    pub(crate) fn choice(self, choices: &[(&str, Word)]) -> Option<Set<Word>> {
        self.parse(|tokens| {
            let text: LitStr = syn::parse2(tokens)?;
            let choice = choices.iter().find(|(name, _)| text.value() == *name);
            choice.map(|(_, word)| *word).ok_or_else(|| syn::Error::new(text.span(), ""))
        })
    }

    /// `key`, `key = true` or `key = false`.
    pub(crate) fn flag(self) -> Option<Set<bool>> {
        if self.part.clone().into_iter().count() == 1 {
            return Some(Set { key: self.key, value: true });
        }
        self.parse(|tokens| Ok(syn::parse2::<LitBool>(tokens)?.value))
    }

    pub(crate) fn ident(self) -> Option<Set<Ident>> {
        self.parse(syn::parse2)
    }

    pub(crate) fn path(self) -> Option<Set<Path>> {
        self.parse(|tokens| Path::parse_mod_style.parse2(tokens))
    }

    fn parse<T>(self, parse: impl FnOnce(TokenStream) -> syn::Result<T>) -> Option<Set<T>> {
        let at = if self.tokens.is_empty() { self.part } else { self.tokens.clone() };
        let next_key = next_key(&self.tokens);
        let value = parse(self.tokens).ok();
        if value.is_none() {
            match next_key {
                Some(next) => self.errors.push(&next, format!("a comma is missing: write it before `{next}`")),
                None => {
                    let problem = format!("wrong value for `{}`: write `{} = {}`", self.key, self.key, self.form);
                    self.errors.push(at, problem);
                }
            }
        }
        Some(Set { key: self.key, value: value? })
    }
}

fn bracketed<T: Parse>(input: ParseStream<'_>) -> syn::Result<Vec<T>> {
    let content;
    syn::bracketed!(content in input);
    Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

/// JSON has texts, numbers and truth values.
fn json_literal(literal: Lit) -> syn::Result<Lit> {
    match &literal {
        Lit::Str(_) | Lit::Bool(_) => Ok(literal),
        Lit::Int(integer) => plain(integer.suffix().is_empty(), literal),
        Lit::Float(float) => plain(float.suffix().is_empty(), literal),
        _ => Err(syn::Error::new_spanned(literal, "")),
    }
}

/// Refuses a number with a type behind it.
fn plain<T: ToTokens>(is_plain: bool, literal: T) -> syn::Result<T> {
    if is_plain { Ok(literal) } else { Err(syn::Error::new_spanned(literal, "")) }
}

/// A second `key =` within a value.
fn next_key(tokens: &TokenStream) -> Option<Ident> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    tokens.windows(2).find_map(|pair| match pair {
        [TokenTree::Ident(key), TokenTree::Punct(punct)] if punct.as_char() == '=' => Some(key.clone()),
        _ => None,
    })
}

/// The parts between the commas; those between `::<` or `= <` and `>` belong to a type.
pub(crate) fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    let mut depth = 0_u32;
    let mut before = [' '; 2];
    for token in tokens {
        let letter = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        match letter {
            '<' if depth > 0 || before == [':', ':'] || before[1] == '=' => depth += 1,
            '>' if depth > 0 && before[1] != '-' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(TokenStream::new());
                before = [' '; 2];
                continue;
            }
            _ => {}
        }
        before = [before[1], letter];
        if let Some(part) = parts.last_mut() {
            token.to_tokens(part);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn unknown<T>(key: &str, attribute: &str, keys: &[Key<T>]) -> String {
    match closest(key, keys.iter().map(|row| row.name)) {
        Some(name) => format!("unknown key `{key}`: did you mean `{name}`?"),
        None => format!("unknown key `{key}`: `{attribute}` takes {}", names(keys)),
    }
}

/// The name that a misspelled word was meant to be.
pub(crate) fn closest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let closest = names.min_by_key(|name| distance(word, name))?;
    (distance(word, closest) <= (word.len().max(closest.len()) / 3).max(1)).then_some(closest)
}

fn names<T>(keys: &[Key<T>]) -> String {
    let names: Vec<String> = keys.iter().map(|row| format!("`{}`", row.name)).collect();
    names.join(", ")
}

/// How many letters must be changed, or swapped with their neighbours.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let changed = rows[i][j] + usize::from(a != b);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && *b == one[i - 1] {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}
