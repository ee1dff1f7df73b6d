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
    /// Whether `max` itself is outside; only for floats.
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

impl Bounds {
    /// Reads `range = ..` or `length = ..`, and says what is wrong with it.
    pub(crate) fn read(range: &ExprRange, key: &str, errors: &mut Errors) -> Self {
        let mut side = |expression: &Option<Box<Expr>>| {
            let expression = expression.as_deref()?;
            let number = Number::read(expression);
            if number.is_none() {
                errors.push(expression, format!("`{key}` takes numbers that are written out: `{key} = 1..=50`"));
            }
            number
        };
        let (min, max) = (side(&range.start), side(&range.end));
        let open = matches!(range.limits, RangeLimits::HalfOpen(_));
        let (max, is_exclusive) = match max {
            Some(Number::Integer(value)) if open => (Some(Number::Integer(value - 1)), false),
            max => (max, open),
        };
        let bounds = Self { min, max, is_exclusive };
        if range.start.is_none() && range.end.is_none() {
            errors.push(
                range,
                format!("`{key}` allows everything: write its least or its greatest value, or leave it out"),
            );
        } else if bounds.is_empty() {
            errors.push(range, format!("`{key}` allows nothing: write the least value first, as in `1..=50`"));
        }
        bounds
    }

    fn is_empty(&self) -> bool {
        match (self.min, self.max) {
            (Some(min), Some(max)) => min.value() > max.value() || (self.is_exclusive && min.value() >= max.value()),
            _ => false,
        }
    }

    pub(crate) fn allows(&self, value: f64) -> bool {
        let low = self.min.is_some_and(|min| value < min.value());
        let high = self.max.is_some_and(|max| value > max.value() || (self.is_exclusive && value >= max.value()));
        !low && !high
    }
}
