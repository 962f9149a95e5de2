//! Compiles the parser, as `tree-sitter generate` has written it.

fn main() {
    let parser = "src/parser.c";
    println!("cargo::rerun-if-changed={parser}");
    cc::Build::new().include("src").file(parser).std("c11").warnings(false).compile("tree-sitter-l");
}
