//! A tool that asks the user: a yes or a no, or one of several answers.

use std::time::Duration;

use pi_tools::prelude::*;

/// Ask the user a question.
#[pi_tool(
    prompt_snippet = "Ask the user a question",
    guidelines = ["Use ask when only the user can decide; do not guess"],
)]
async fn ask(
    /// The question.
    question: String,
    /// The answers to choose from; without them the answer is yes or no.
    #[arg(length = 2..=9)]
    answers: Option<Vec<String>>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let ui = cx.ui().time_limit(Duration::from_secs(300));
    let answer = match answers {
        Some(answers) => ui.select(&question, answers).await,
        None => ui.confirm(&question, "").await.map(|yes| if yes { "yes" } else { "no" }.to_owned()),
    };
    // The user is away, has closed the question, or is not there at all, as in a script.
    answer.ok_or_else(|| ToolError::new("The user did not answer. Go on without, or say what you need to know."))
}

pi_tools::main!();
pi_tools::check!();

#[cfg(test)]
mod tests {
    use pi_tools::testing::{ScriptedHost, TestContext, expect};

    use super::*;

    async fn answer(host: ScriptedHost, answers: Option<&[&str]>) -> Result<String, ToolError> {
        let answers = answers.map(|answers| answers.iter().map(ToString::to_string).collect());
        ask("Which one?".to_owned(), answers, &TestContext::new().with_host(host)).await
    }

    #[tokio::test]
    async fn the_answer_is_the_users() {
        let colours: Option<&[&str]> = Some(&["red", "green"]);
        expect(answer(ScriptedHost::new().answer_text("green"), colours).await).is_success().has_text("green");
        expect(answer(ScriptedHost::new().answer_confirm(false), None).await).is_success().has_text("no");
        expect(answer(ScriptedHost::new().dismiss(), colours).await).is_error().contains("did not answer");
    }
}
