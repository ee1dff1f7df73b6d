// A handle of a tool with a mistake, imported and held by a type.
use pi_tools::prelude::*;

mod tools {
    use pi_tools::prelude::*;

    /// Greet someone.
    #[pi_tool(handle = Greet, label = "")]
    pub async fn greet() -> String {
        String::new()
    }
}

use tools::Greet;

#[derive(Clone, Copy, Debug)]
struct Tools {
    greet: Greet,
}

fn main() {
    let tools = Tools { greet: Greet };
    let _ = Toolbox::builder().tool(tools.greet).build();
}
