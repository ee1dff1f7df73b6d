//! The test that [`check!`](crate::check) makes.

use crate::check::Findings;
use crate::schema::Dialect;
use crate::toolbox::Toolbox;

/// Checks the tools that are linked into the test.
///
/// # Panics
///
/// When something must be mended: with all of it.
#[doc(hidden)]
#[expect(clippy::print_stdout, reason = "a test shows it when it fails or is asked to")]
pub fn check_linked(dialects: &[Dialect]) {
    let problems = match Toolbox::builder().linked().build_unprovided() {
        Ok(toolbox) if toolbox.tools().len() == 0 => vec![
            "no tools are linked into this test: write `check!()` in the crate that has them, or `bundle!` them"
                .to_owned(),
        ],
        Ok(toolbox) => {
            let findings = Findings::new(toolbox.tools(), dialects);
            println!("{}", findings.details());
            findings.problems()
        }
        Err(error) => error.problems().to_vec(),
    };
    assert!(problems.is_empty(), "{} to mend:\n{}", problems.len(), problems.join("\n"));
}
