//! Names in other cases.

/// Writes a name in another case.
pub(crate) type Case = fn(&str) -> String;

/// The cases of serde's `rename_all`, by the names that serde gives them.
pub(crate) const CASES: &[(&str, Case)] = &[
    ("lowercase", |name| name.to_lowercase()),
    ("UPPERCASE", |name| name.to_uppercase()),
    ("PascalCase", |name| name.to_owned()),
    ("camelCase", |name| {
        let mut rest = name.chars();
        rest.next().into_iter().flat_map(char::to_lowercase).chain(rest).collect()
    }),
    ("snake_case", |name| snake(name)),
    ("SCREAMING_SNAKE_CASE", |name| snake(name).to_uppercase()),
    ("kebab-case", |name| snake(name).replace('_', "-")),
    ("SCREAMING-KEBAB-CASE", |name| snake(name).to_uppercase().replace('_', "-")),
];

/// `TodoList` → `todo_list`, as serde does it.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index > 0 {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// `note_edit` → `Note edit`.
pub(crate) fn words(name: &str) -> String {
    let text = name.replace(['_', '-'], " ");
    let mut rest = text.trim().chars();
    rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
}
