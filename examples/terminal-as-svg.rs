//! Reads the coloured terminal output of a program from standard input, and prints it as an SVG picture.

use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let mut printed = String::new();
    std::io::stdin().read_to_string(&mut printed)?;
    let picture = anstyle_svg::Term::new().render_svg(&printed);
    std::io::stdout().write_all(picture.as_bytes())
}
