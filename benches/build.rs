//! Writes what a person would write by hand, a hundred and a thousand times.

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut tools = String::new();
    let mut arms = String::new();
    let mut names = "\"add\"".to_owned();
    for n in 1..97 {
        write!(
            tools,
            "/// Add up two numbers, and {n}.\n\
             #[pi_tool]\n\
             async fn tool_{n:03}(\n\
             /// One number.\n\
             a: i64,\n\
             /// Another number.\n\
             b: i64) -> String {{ (a + b + {n}).to_string() }}\n\n"
        )
        .unwrap();
        write!(names, ", \"tool_{n:03}\"").unwrap();
        writeln!(arms, "\"tool_{n:03}\" => {{ let Two {{ a, b }} = decode(arguments)?; added(a, b, {n}).await }}")
            .unwrap();
    }
    let long = "#[expect(clippy::too_many_lines, reason = \"a line a tool\")]\n";
    let hundred = format!(
        "/// The hundred tools, called by their names.\n\
         ///\n\
         /// # Errors\n\
         ///\n\
         /// What serde says of the arguments.\n\
         {long}\
         pub async fn call(name: &str, arguments: &str) -> Result<String, String> {{ Ok(match name {{\n\
         \"add\" => {{ let Two {{ a, b }} = decode(arguments)?; add(a, b).await }}\n\
         \"deploy\" => {{ let Deploy {{ plan }} = decode(arguments)?; deploy(plan).await }}\n\
         \"todo\" => {{ let Todo {{ action, text, due }} = decode(arguments)?; todo(action, text, due).await }}\n\
         {arms}\
         \"write\" => {{ let Write {{ text }} = decode(arguments)?; write(text).await }}\n\
         _ => return Err(format!(\"Tool {{name}} not found\")) }}) }}\n"
    );
    let mut thousand = String::new();
    for n in 0..1000 {
        writeln!(thousand, "\"tool_{n:04}\" => {n},").unwrap();
    }
    let thousand = format!(
        "/// The number of one of a thousand tools.\n\
         #[must_use]\n\
         {long}\
         pub fn find(name: &str) -> Option<usize> {{ Some(match name {{\n{thousand}_ => return None }}) }}\n"
    );
    let names = format!("const NAMES: &[&str] = &[{names}];\n");
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(Path::new(&out).join("tools.rs"), tools).unwrap();
    std::fs::write(Path::new(&out).join("hand.rs"), hundred + &thousand + &names).unwrap();
}
