//! The calls that a mock got, from Mockito's list as a text.

use crate::fix::expected::Expected;

/// The first call whose number differs between the two sides, as an expectation. Both lists are
/// Java source of a text.
#[must_use]
pub fn differing_call(original: Option<&str>, transformed: Option<&str>, mock: &str) -> Option<Expected> {
    let (original, transformed) = (calls(original?)?, calls(transformed?)?);
    let count = |calls: &[String], call: &str| calls.iter().filter(|one| *one == call).count();
    let is_other = |call: &&String| count(&original, call) != count(&transformed, call);
    let call = original.iter().find(is_other).or_else(|| transformed.iter().find(is_other))?;
    Some(Expected::Called { mock: mock.to_owned(), call: matched(call)?, times: count(&original, call) })
}

/// The calls in Mockito's list, each as `enter("a")`.
fn calls(list: &str) -> Option<Vec<String>> {
    let text: String = serde_json::from_str(list).ok()?;
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let parts = split(inner, ';').into_iter().map(|part| part.trim_start_matches(',').trim().to_owned());
    let method = |part: String| part.split_once('.').map(|(_, call)| call.to_owned());
    parts.filter(|part| !part.is_empty()).map(method).collect()
}

/// Splits at a character outside of quotes and parentheses. White space between words becomes one
/// space.
fn split(text: &str, at: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut quote, mut escaped, mut depth) = (None, false, 0);
    for character in text.chars() {
        let is_inside = quote.is_some();
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if character == '\\' => escaped = true,
            Some(end) if character == end => quote = None,
            Some(_) => {}
            None if matches!(character, '"' | '\'') => quote = Some(character),
            None if character == '(' => depth += 1,
            None if character == ')' => depth -= 1,
            None => {}
        }
        let Some(last) = parts.last_mut() else { continue };
        if !is_inside && depth == 0 && character == at {
            parts.push(String::new());
        } else if is_inside || !character.is_whitespace() {
            last.push(character);
        } else if !last.is_empty() && !last.ends_with([' ', '(']) {
            last.push(' ');
        }
    }
    parts
}

/// The call with matchers: `enter("a", any())` for `enter("a", a.Thing@1f)`. An argument that is no
/// literal may be anything, and then Mockito requires matchers for all.
fn matched(call: &str) -> Option<String> {
    let (name, rest) = call.split_once('(')?;
    let inner = rest.strip_suffix(')')?.trim();
    let arguments: Vec<String> = split(inner, ',').into_iter().map(|one| one.trim().to_owned()).collect();
    if inner.is_empty() || arguments.iter().all(|one| is_source(one)) {
        return Some(format!("{name}({})", arguments.join(", ")));
    }
    let one = |argument: &String| if is_source(argument) { format!("eq({argument})") } else { "any()".to_owned() };
    Some(format!("{name}({})", arguments.iter().map(one).collect::<Vec<String>>().join(", ")))
}

/// Whether an argument is printed as Java source: `1L` and `'c'` are, a date is not.
fn is_source(argument: &str) -> bool {
    let plain = argument.trim_end_matches(['L', 'd', 'f']);
    matches!(argument, "null" | "true" | "false") || argument.starts_with(['"', '\'']) || plain.parse::<f64>().is_ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn said(original: &str, transformed: &str) -> Option<(String, usize)> {
        let source = |list: &str| serde_json::to_string(list).unwrap();
        match differing_call(Some(&source(original)), Some(&source(transformed)), "ledger")? {
            Expected::Called { call, times, .. } => Some((call, times)),
            _ => None,
        }
    }

    #[test]
    fn a_call_that_is_missing_or_more_frequent_is_verified() {
        let both = "[ledger.enter(\"a; (b\");, ledger.close();]";
        assert_eq!(said(both, "[ledger.enter(\"a; (b\");]"), Some(("close()".into(), 1)));
        assert_eq!(said(both, "[]"), Some(("enter(\"a; (b\")".into(), 1)));
        assert_eq!(said("[]", "[ledger.close();]"), Some(("close()".into(), 0)));
        assert_eq!(said("[l.a(1L);, l.a(1L);]", "[l.a(1L);]"), Some(("a(1L)".into(), 2)));
        assert_eq!(said(both, both), None);
        assert_eq!(said("[ledger.enter(\"a", "[]"), None, "a list that was cut");
    }

    #[test]
    fn an_argument_that_is_no_source_may_be_anything() {
        let long = "[ledger.enter(\n    \"a\",\n    org.example.Mail@1f\n);]";
        assert_eq!(said(long, "[]"), Some(("enter(eq(\"a\"), any())".into(), 1)));
    }
}
