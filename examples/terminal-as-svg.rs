//! What a program printed for a terminal, with its colours, from standard input to an SVG picture on standard output.

use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let mut printed = String::new();
    std::io::stdin().read_to_string(&mut printed)?;
    let picture = anstyle_svg::Term::new().render_svg(&printed);
    std::io::stdout().write_all(picture.as_bytes())
}
