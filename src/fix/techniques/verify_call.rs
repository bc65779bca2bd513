//! Look at the calls that a mock gets (`rules/fixes/verify-call.toml`).

use crate::fix::look::{About, Look};
use crate::fix::subject::Subject;
use crate::fix::techniques::new_input::new_calls;
use crate::fix::techniques::scope::Scope;
use crate::fix::techniques::technique::Technique;
use crate::fix::values::catalog::Values;
use crate::text::words;

pub const TECHNIQUE: Technique = Technique {
    in_test: Some(looks),
    in_new_test: Some(looks_in_new_test),
    ..Technique::new("verify-call", include_str!("../../../rules/fixes/verify-call.toml"))
};

/// The class with the methods of Mockito, in all of its versions.
const MOCKITO: &str = "org.mockito.Mockito";

fn looks(_: &Subject<'_>, scope: &Scope<'_>) -> Vec<Look> {
    scope.variables.iter().filter(|variable| variable.is_mock).map(|variable| told(&variable.name, None)).collect()
}

fn looks_in_new_test(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Look> {
    if !values.has_mocks() {
        return Vec::new();
    }
    new_calls(subject, values).iter().filter_map(with_mock).collect()
}

/// A look at all calls of a mock so far, as Mockito writes them: `[ledger.enter("a");,
/// ledger.close();]`.
fn told(mock: &str, by: Option<&About>) -> Look {
    let by = match by {
        Some(About::Result { method }) => method.clone(),
        _ => mock.to_owned(),
    };
    Look {
        expression: format!("{MOCKITO}.mockingDetails({mock}).getInvocations().toString()"),
        about: About::MockCalls { mock: mock.to_owned(), by },
        ..Look::accessor(mock, "", 0)
    }
}

/// The same call with its mock in a variable, whose calls are looked at. `None` if there is no
/// mock, or more than one.
fn with_mock(look: &Look) -> Option<Look> {
    let call = look.statements();
    let all = look.before.iter().map(String::as_str).chain([call.as_str()]).collect::<Vec<&str>>().join("\n");
    let (_, rest) = all.split_once("mock(")?;
    let class = rest.split_once(".class)").map(|(class, _)| class)?;
    let made = format!("mock({class}.class)");
    let variable = words::variable(class);
    let declared = format!("{class} {variable} = {made};");
    // A mock with answers is in a variable already.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::look::When;

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
        assert_eq!(asked.about, About::MockCalls { mock: "ledger".into(), by: "note".into() });
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
