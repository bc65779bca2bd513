//! Suggests known names that resemble a misspelled one.

/// Least similarity of a suggestion (Jaro-Winkler: 1 is equal, 0 has nothing in common).
const ALIKE: f64 = 0.6;
/// Largest number of suggestions.
const MOST: usize = 3;

/// The known names that resemble `name`, best first.
#[must_use]
pub fn nearest<'a, S: AsRef<str>>(name: &str, known: &'a [S]) -> Vec<&'a str> {
    let mut alike: Vec<(f64, &str)> = known
        .iter()
        .map(|known| (strsim::jaro_winkler(known.as_ref(), name), known.as_ref()))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .collect();
    alike.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    alike.into_iter().map(|(_, known)| known).take(MOST).collect()
}

/// `Did you mean `a`, `b` or `c`?`; `None` if no name resembles it.
#[must_use]
pub fn did_you_mean<S: AsRef<str>>(name: &str, known: &[S]) -> Option<String> {
    let names: Vec<String> = nearest(name, known).iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = names.split_last()?;
    let before = if others.is_empty() { String::new() } else { format!("{} or ", others.join(", ")) };
    Some(format!("Did you mean {before}{last}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_come_first_and_strangers_not_at_all() {
        let known = ["setter", "getter", "getters", "zzz"];
        assert_eq!(nearest("geter", &known), ["getter", "getters", "setter"]);
        assert_eq!(did_you_mean("geter", &known).as_deref(), Some("Did you mean `getter`, `getters` or `setter`?"));
        assert_eq!(did_you_mean("zz", &known).as_deref(), Some("Did you mean `zzz`?"));
        assert_eq!(did_you_mean("weak-oracle", &["zzz"]), None);
    }
}
