//! Assertions of Mockito on the calls of a mock.

use crate::fix::source::imports::NewImport;
use crate::fix::source::mention::mentions;
use crate::fix::source::style::Style;

/// The class with the methods of Mockito, in all of its versions.
const MOCKITO: &str = "org.mockito.Mockito";

/// The imports of a verification: its methods or, if they are written with `Mockito.`, the class.
#[must_use]
fn mockito_imports(code: &str, qualifier: &str) -> Vec<NewImport> {
    let is_called = |name: &&&str| mentions(code, name) && code.contains(&format!("{name}("));
    let import = |name: &str| NewImport { is_static: true, name: format!("{MOCKITO}.{name}") };
    let mut needed: Vec<NewImport> = ["any", "eq"].iter().filter(is_called).map(|name| import(name)).collect();
    if qualifier.is_empty() {
        needed.extend(["verify", "never", "times"].iter().filter(is_called).map(|name| import(name)));
    } else {
        needed.push(NewImport { is_static: false, name: MOCKITO.to_owned() });
    }
    needed
}

/// The statement that verifies how often a mock got a call, and its imports.
pub fn verification(style: &Style, mock: &str, call: &str, times: usize) -> (String, Vec<NewImport>) {
    let qualifier = style.mockito.as_str();
    let times = match times {
        0 => Some(format!("{qualifier}never()")),
        1 => None,
        more => Some(format!("{qualifier}{}", style.call("times", &[&more.to_string()]))),
    };
    let arguments: Vec<&str> = std::iter::once(mock).chain(times.as_deref()).collect();
    let code = format!("{}.{call};", style.call(&format!("{qualifier}verify"), &arguments));
    let imports = mockito_imports(&code, qualifier);
    (code, imports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_are_always_imported_and_other_methods_unless_they_are_qualified() {
        let names: Vec<String> =
            mockito_imports("verify(l, never()).a(any());", "").into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["org.mockito.Mockito.any", "org.mockito.Mockito.verify", "org.mockito.Mockito.never"]);
        let names: Vec<String> =
            mockito_imports("Mockito.verify(l).a();", "Mockito.").into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["org.mockito.Mockito"]);
    }
}
