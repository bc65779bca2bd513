//! Look at what a mock was told (`rules/fixes/verify-call.toml`).

use super::{Look, Scope, Subject, new_input};
use crate::fix::source::style::Needed;
use crate::fix::source::test_source::mentions;
use crate::fix::values::Values;
use crate::fix::write::assertion::Expected;
use crate::fix::write::name::About;
use crate::text::words;

/// Where the calls of Mockito are, in all of its versions.
const MOCKITO: &str = "org.mockito.Mockito";

pub(super) fn looks(_: &Subject<'_>, scope: &Scope<'_>) -> Vec<Look> {
    scope.variables.iter().filter(|variable| variable.is_mock).map(|variable| told(&variable.name, None)).collect()
}

pub(super) fn alone(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Look> {
    if !values.has_mocks() {
        return Vec::new();
    }
    new_input::looks(subject, values).iter().filter_map(with_mock).collect()
}

/// All calls that a mock got so far, as Mockito writes them: `[ledger.enter("a");, ledger.close();]`.
fn told(mock: &str, by: Option<&About>) -> Look {
    let by = match by {
        Some(About::Result { method }) => method.clone(),
        _ => mock.to_owned(),
    };
    Look {
        expression: format!("{MOCKITO}.mockingDetails({mock}).getInvocations().toString()"),
        about: About::Told { mock: mock.to_owned(), by },
        ..Look::accessor(mock, "", 0)
    }
}

/// The same call, with a mock of its own that is asked afterwards. `None` where it has none, or several.
fn with_mock(look: &Look) -> Option<Look> {
    let call = look.statements();
    let all = look.before.iter().map(String::as_str).chain([call.as_str()]).collect::<Vec<&str>>().join("\n");
    let (_, rest) = all.split_once("mock(")?;
    let class = rest.split_once(".class)").map(|(class, _)| class)?;
    let made = format!("mock({class}.class)");
    let variable = words::variable(class);
    let declared = format!("{class} {variable} = {made};");
    // One that answers has a variable already.
    let answers = look.before.contains(&declared);
    let is_known = all.contains(&format!(" {variable} = ")) && !answers;
    if is_known || all.matches("mock(").count() != 1 {
        return None;
    }
    let code = if answers { all.clone() } else { format!("{declared}\n{}", all.replace(&made, &variable)) };
    let mut lines: Vec<String> = code.lines().map(str::to_owned).collect();
    let act = lines.pop()?;
    let told = told(&variable, Some(&look.about));
    Some(Look { before: lines, act: Some(act), expression: told.expression, about: told.about, ..look.clone() })
}

/// What one call of `verify` can say where a mock was told something else on either side, which both are Java source of Mockito's list as a text.
#[must_use]
pub fn called(original: Option<&str>, transformed: Option<&str>, mock: &str) -> Option<Expected> {
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

/// Splits at a character outside of quotes and parentheses; what is between words there is one space.
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

/// `enter("a", any())` of `enter("a", a.Thing@1f)`: what is no literal may be anything, and then Mockito wants matchers for all.
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

/// Whether an argument is printed as one would write it: `1L` and `'c'` are, a date is not.
fn is_source(argument: &str) -> bool {
    let plain = argument.trim_end_matches(['L', 'd', 'f']);
    matches!(argument, "null" | "true" | "false") || argument.starts_with(['"', '\'']) || plain.parse::<f64>().is_ok()
}

/// What an assertion of Mockito has to have imported: its methods or, where they are written behind `Mockito.`, the class.
#[must_use]
pub fn mockito(code: &str, qualifier: &str) -> Vec<Needed> {
    let is_called = |name: &&&str| mentions(code, name) && code.contains(&format!("{name}("));
    let import = |name: &str| Needed { is_static: true, name: format!("{MOCKITO}.{name}") };
    let mut needed: Vec<Needed> = ["any", "eq"].iter().filter(is_called).map(|name| import(name)).collect();
    if qualifier.is_empty() {
        needed.extend(["verify", "never", "times"].iter().filter(is_called).map(|name| import(name)));
    } else {
        needed.push(Needed { is_static: false, name: MOCKITO.to_owned() });
    }
    needed
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::write::name::When;

    fn said(original: &str, transformed: &str) -> Option<(String, usize)> {
        let source = |list: &str| serde_json::to_string(list).unwrap();
        match called(Some(&source(original)), Some(&source(transformed)), "ledger")? {
            Expected::Called { call, times, .. } => Some((call, times)),
            _ => None,
        }
    }

    #[test]
    fn the_call_that_is_missing_or_comes_more_often_is_verified() {
        let both = "[ledger.enter(\"a; (b\");, ledger.close();]";
        assert_eq!(said(both, "[ledger.enter(\"a; (b\");]"), Some(("close()".into(), 1)));
        assert_eq!(said(both, "[]"), Some(("enter(\"a; (b\")".into(), 1)));
        assert_eq!(said("[]", "[ledger.close();]"), Some(("close()".into(), 0)));
        assert_eq!(said("[l.a(1L);, l.a(1L);]", "[l.a(1L);]"), Some(("a(1L)".into(), 2)));
        assert_eq!(said(both, both), None);
        assert_eq!(said("[ledger.enter(\"a", "[]"), None, "a list that was cut");
    }

    #[test]
    fn arguments_that_are_no_source_may_be_anything() {
        let long = "[ledger.enter(\n    \"a\",\n    org.example.Mail@1f\n);]";
        assert_eq!(said(long, "[]"), Some(("enter(eq(\"a\"), any())".into(), 1)));
        let names: Vec<String> = mockito("verify(l, never()).a(any());", "").into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["org.mockito.Mockito.any", "org.mockito.Mockito.verify", "org.mockito.Mockito.never"]);
        let names: Vec<String> =
            mockito("Mockito.verify(l).a();", "Mockito.").into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["org.mockito.Mockito"]);
    }

    #[test]
    fn the_only_mock_of_a_call_gets_a_name() {
        let look = Look {
            before: vec!["Office office = new Office(mock(Ledger.class));".to_owned()],
            act: Some("office.note(\"a\");".to_owned()),
            about: About::Result { method: "note".to_owned() },
            when: When::Always,
            ..Look::accessor("office", "failures", 0)
        };
        let asked = with_mock(&look).unwrap();
        assert_eq!(asked.before, ["Ledger ledger = mock(Ledger.class);", "Office office = new Office(ledger);"]);
        assert_eq!(asked.act.as_deref(), Some("office.note(\"a\");"));
        assert_eq!(asked.about, About::Told { mock: "ledger".into(), by: "note".into() });
        let lines = ["Ledger ledger = mock(Ledger.class);", "when(ledger.size()).thenReturn(1);"];
        let answering = Look {
            before: lines.iter().map(|line| (*line).to_owned()).collect(),
            act: Some("new Office(ledger).note(\"a\");".to_owned()),
            ..look.clone()
        };
        assert_eq!(with_mock(&answering).unwrap().before, lines);
        let twice = Look { act: Some("office.send(mock(Ledger.class));".to_owned()), ..look };
        assert_eq!(with_mock(&twice), None);
    }
}
