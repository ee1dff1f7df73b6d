// Every mistake in one compile, each at its own token.
use pi_tools::prelude::*;

#[pi_tool(nmae = "x", name = "say hello", prompt_snippet = "", guidelines = ["Use this"], execution = "now")]
async fn greet<'a>(
    name: String,
    #[arg(aliass = "b")] other: impl Into<String>,
    /// Doc.
    #[arg(alias = "name")]
    third: u32,
) -> String {
    format!("{name} {} {third}", other.into())
}

fn main() {}
