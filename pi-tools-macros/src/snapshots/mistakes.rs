/// Greet someone.
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}
::core::compile_error! {
    "unknown key `lable`: did you mean `label`?"
}
::core::compile_error! {
    "`name` needs a description: write a doc comment before it, `/// What it is.`"
}
