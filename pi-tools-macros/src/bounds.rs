//! Ranges of numbers that are written out: `1..=50`, `..=0.5`, `-3..3`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, ExprRange, ExprUnary, Lit, RangeLimits, UnOp};

use crate::errors::Errors;

/// A number as it was written.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

/// What a range allows.
#[derive(Default)]
pub(crate) struct Bounds {
    pub(crate) min: Option<Number>,
    pub(crate) max: Option<Number>,
    /// Whether `max` itself is outside.
    pub(crate) is_exclusive: bool,
}

impl Number {
    /// The number that an expression is, with its sign.
    pub(crate) fn read(expression: &Expr) -> Option<Self> {
        match expression {
            Expr::Lit(ExprLit { lit, .. }) => Self::of_literal(lit),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => Self::read(expr).map(|number| match number {
                Self::Integer(value) => Self::Integer(-value),
                Self::Float(value) => Self::Float(-value),
            }),
            Expr::Group(group) => Self::read(&group.expr),
            Expr::Paren(paren) => Self::read(&paren.expr),
            _ => None,
        }
    }

    fn of_literal(literal: &Lit) -> Option<Self> {
        match literal {
            Lit::Int(integer) => integer.base10_parse().ok().map(Self::Integer),
            Lit::Float(float) => float.base10_parse().ok().map(Self::Float),
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "compared as the numbers of JSON are")]
    pub(crate) fn value(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl ToTokens for Number {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Integer(value) => quote!(__pi::Keyword::Integer(#value)),
            Self::Float(value) => quote!(__pi::Keyword::Number(#value)),
        });
    }
}

/// One side of a range, `None` when it is open.
fn side(expression: Option<&Expr>, key: &str, errors: &mut Errors) -> Result<Option<Number>, ()> {
    let Some(expression) = expression else { return Ok(None) };
    match Number::read(expression) {
        None => errors.push(expression, format!("`{key}` takes numbers that are written out: write `{key} = 1..=50`")),
        Some(number) if key == "range" || matches!(number, Number::Integer(0..)) => return Ok(Some(number)),
        Some(_) => errors.push(expression, "a length is a whole number from 0 on: write `length = 1..=50`"),
    }
    Err(())
}

impl Bounds {
    /// Reads `range = ..` or `length = ..`. What is wrong is reported, and then there are no bounds.
    pub(crate) fn read(range: &ExprRange, key: &str, errors: &mut Errors) -> Option<Self> {
        let start = side(range.start.as_deref(), key, errors);
        let end = side(range.end.as_deref(), key, errors);
        let (Ok(min), Ok(max)) = (start, end) else { return None };
        let open = matches!(range.limits, RangeLimits::HalfOpen(_));
        let (max, is_exclusive) = match max {
            // Lengths have no exclusive bound.
            Some(Number::Integer(value)) if open && key == "length" => (Some(Number::Integer(value - 1)), false),
            max => (max, open),
        };
        let bounds = Self { min, max, is_exclusive };
        if min.is_none() && max.is_none() {
            errors.push(
                range,
                format!("`{key}` allows everything: write its least or its greatest value, or leave it out"),
            );
            return None;
        }
        if bounds.is_empty() || (key == "length" && max.is_some_and(|max| max.value() < 0.0)) {
            errors.push(range, format!("`{key}` allows nothing: write the least value first, as in `{key} = 1..=50`"));
            return None;
        }
        Some(bounds)
    }

    fn is_empty(&self) -> bool {
        match (self.min, self.max) {
            (Some(min), Some(max)) => min.value() > max.value() || (self.is_exclusive && min.value() >= max.value()),
            _ => false,
        }
    }

    /// The greatest number that an integer may be.
    pub(crate) fn greatest(&self) -> Option<Number> {
        match self.max? {
            Number::Integer(value) if self.is_exclusive => Some(Number::Integer(value.saturating_sub(1))),
            number => Some(number),
        }
    }

    pub(crate) fn allows(&self, value: f64) -> bool {
        let low = self.min.is_some_and(|min| value < min.value());
        let high = self.max.is_some_and(|max| value > max.value() || (self.is_exclusive && value >= max.value()));
        !low && !high
    }
}
