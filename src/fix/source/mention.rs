//! Mentions of names in code.

/// Whether the code mentions `name` as a whole word that is not a member of something else.
#[must_use]
pub fn mentions(code: &str, name: &str) -> bool {
    places_of(code, name).next().is_some()
}

/// The number of such mentions.
#[must_use]
pub fn count_mentions(code: &str, name: &str) -> usize {
    places_of(code, name).count()
}

fn places_of<'c>(code: &'c str, name: &'c str) -> impl Iterator<Item = usize> + 'c {
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    let is_whole = move |at: &usize| {
        let before = code.get(..*at).and_then(|before| before.chars().next_back());
        let after = code.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(|character| is_part(character) || character == '.') && !after.is_some_and(is_part)
    };
    code.match_indices(name).map(|(at, _)| at).filter(is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_name_is_a_mention() {
        assert!(mentions("f(set)", "set") && mentions("set.add()", "set"));
        assert!(!mentions("a.set()", "set") && !mentions("reset(settings)", "set"));
    }
}
