// `&mut T` is session state, and says how to make the type one.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize)]
struct Todos(Vec<String>);

/// Count to-dos.
#[pi_tool]
async fn count(todos: &mut Todos) -> String {
    todos.0.len().to_string()
}

fn main() {}
