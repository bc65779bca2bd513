//! Reads short pieces of Java source character by character, apart from the texts in them.

/// The characters outside of string and character literals, each with its byte index and with the
/// number of brackets `(` and `{` that are open before it. A closing bracket has the number of its
/// opening one. A literal appears as its opening quote alone, and ends at the end of its line at the
/// latest: a quote in a comment begins none.
pub fn outside_literals(source: &str) -> impl Iterator<Item = (usize, char, usize)> {
    let mut characters = source.char_indices();
    let mut depth: usize = 0;
    std::iter::from_fn(move || {
        let (index, character) = characters.next()?;
        match character {
            '"' | '\'' => {
                let mut escaped = false;
                let _ = characters.find(|(_, one)| {
                    let ends = (*one == character || *one == '\n') && !escaped;
                    escaped = *one == '\\' && !escaped;
                    ends
                });
            }
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let found = (index, character, depth);
        depth += usize::from(matches!(character, '(' | '{'));
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_left_out() {
        let text = |source: &str| outside_literals(source).map(|(_, character, _)| character).collect::<String>();
        assert_eq!(text("f(\"a\\\"(b\", '\\'', c)"), "f(\", ', c)");
        assert_eq!(text("\"\\\\\".x"), "\".x");
        assert_eq!(text("\"open"), "\"");
        assert_eq!(text("// don't\n}"), "// don'}");
    }

    #[test]
    fn a_closing_bracket_is_as_deep_as_its_opening_one() {
        let depths: Vec<usize> = outside_literals("a(b{c})d").map(|(_, _, depth)| depth).collect();
        assert_eq!(depths, [0, 0, 1, 1, 2, 1, 0, 0]);
    }
}
