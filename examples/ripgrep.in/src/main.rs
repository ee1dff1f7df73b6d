fn main() {
    // TODO: greet
}
