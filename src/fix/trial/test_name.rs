//! The names of trial tests.

use crate::jvm::protocol::FoundTest;

/// The name of the trial test with this number.
#[must_use]
pub fn tried_name(number: usize) -> String {
    format!("testReneri{number}x")
}

/// Whether the name of a test (`a.T.testReneri3x()`, or `a.T[2].testReneri3x()` if the class has several instances)
/// belongs to a method.
#[must_use]
pub fn is_named(test: &FoundTest, method: &str) -> bool {
    let name = test.name.strip_prefix(test.class.as_str()).unwrap_or(&test.name);
    let of_instance = || name.strip_prefix('[').and_then(|name| Some(name.split_once("].")?.1));
    name.strip_prefix('.').or_else(of_instance).is_some_and(|name| {
        name.strip_prefix(method)
            .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_found_by_the_name_of_its_method() {
        let test = |name: &str| FoundTest { id: String::new(), name: name.into(), class: "a.T".into() };
        assert!(is_named(&test("a.T.testReneri1x()"), "testReneri1x"));
        assert!(is_named(&test("a.T.testReneri1x()[2]"), "testReneri1x"));
        assert!(is_named(&test("a.T[2].testReneri1x()"), "testReneri1x"));
        assert!(!is_named(&test("a.T.testReneri1x2()"), "testReneri1x") && !is_named(&test("a.T.x()"), "testReneri1x"));
    }
}
