/// Greet someone.
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}
::core::compile_error! {
    "unknown key `lable`: `pi_tool` takes `name`, `label`, `description`, `prompt_snippet`, `guidelines`, `prepare`, `execution`, `read_only`, `destructive`, `idempotent`, `open_world`, `confirm`, `timeout`, `truncate`, `max_lines`, `max_bytes`, `exposure`, `namespace`, `default_active`, `overrides`, `render_call`, `render_result`, `handle`, `register`, `crate`"
}
::core::compile_error! {
    "`name` needs a description: write a doc comment before it, `/// What it is.`"
}
