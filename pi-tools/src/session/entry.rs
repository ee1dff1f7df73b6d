//! Session entries as their type.

use serde::Serialize;

/// A type whose values tools append to the session: [`ToolContext::append`](crate::ToolContext::append).
///
/// Derive it with `#[derive(SessionEntry)]`; the type of the entries defaults to the Rust type's name in snake case, and
/// begins best with a name of your own, because all tools and extensions share it. `render` says how Pi draws an entry
/// among the messages, with the fields as placeholders: it is read when the executable is asked for its tools, and what is
/// no field does not compile.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::SessionEntry;
///
/// #[derive(Serialize, Deserialize, SessionEntry)]
/// #[session_entry(type = "bookmark", render = "{title:accent} {url:dim}")]
/// struct Bookmark {
///     title: String,
///     url: Option<String>,
/// }
///
/// /// Keep a page.
/// #[pi_tool]
/// fn bookmark(
///     /// What it is called.
///     title: String,
///     /// Where it is.
///     url: Option<String>,
///     cx: &ToolContext,
/// ) -> Result<String, ToolError> {
///     cx.append(&Bookmark { title, url })?;
///     let all: Vec<Bookmark> = cx.session().entries_of()?;
///     Ok(format!("{} in all", all.len()))
/// }
/// assert_eq!(bookmark("Tea".to_owned(), None, &ToolContext::new()).unwrap(), "1 in all");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no session entry",
    label = "`SessionEntry` is not implemented for `{Self}`",
    note = "derive it: `#[derive(Serialize, SessionEntry)]`",
    note = "data of any type is appended with `cx.append_entry(\"type\", &data)`"
)]
pub trait SessionEntry: Serialize {
    /// The type of the entries: `customType` in Pi.
    const TYPE: &'static str;
}

/// How the entries of a type are drawn, linked into the executable.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "nobody sees it")]
pub struct DrawnEntry {
    pub entry_type: &'static str,
    pub template: &'static str,
    /// The Rust type, for messages.
    pub path: &'static str,
}

inventory::collect!(DrawnEntry);

impl DrawnEntry {
    /// All that are linked, by their types.
    pub(crate) fn linked() -> Vec<&'static Self> {
        let mut linked: Vec<_> = inventory::iter::<Self>().collect();
        linked.sort_by_key(|entry| (entry.entry_type, entry.path));
        linked
    }

    /// Types that are drawn in two ways, of which Pi would know one.
    pub(crate) fn problems(sorted: &[&Self]) -> Vec<String> {
        let same = |pair: &&[&Self]| pair[0].entry_type == pair[1].entry_type && pair[0].template != pair[1].template;
        let problem = |pair: &[&Self]| {
            let (Self { entry_type, path, .. }, other) = (pair[0], pair[1].path);
            format!(
                "session entries `{entry_type}` are drawn in two ways, by `{path}` and `{other}`: give one of them \
                 another `type`, or the same `render`"
            )
        };
        sorted.windows(2).filter(same).map(problem).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::DrawnEntry;

    #[test]
    fn two_ways_for_one_type_are_a_problem() {
        let entry = |entry_type, template, path| DrawnEntry { entry_type, template, path };
        let [a, b, c] =
            [entry("mark", "{a}", "a::Mark"), entry("mark", "{b}", "b::Mark"), entry("other", "{a}", "Other")];
        assert_eq!(
            DrawnEntry::problems(&[&a, &b, &c]),
            [
                "session entries `mark` are drawn in two ways, by `a::Mark` and `b::Mark`: give one of them another `type`, or the same `render`"
            ]
        );
        assert!(DrawnEntry::problems(&[&a, &a, &c]).is_empty());
    }
}
