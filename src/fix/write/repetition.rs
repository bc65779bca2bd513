//! Assertions on the different values among many calls.

use crate::fix::candidate::Repeat;
use crate::fix::expected::Expected;
use crate::fix::source::imports::NewImport;
use crate::fix::source::mention::mentions;
use crate::fix::source::style::Style;
use crate::fix::write::assertion::{Assertion, assertion};

/// Longest assertion that is written in one line, in characters.
const LONGEST: usize = 110;

/// The code that repeats a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// A stream. Its lambda must not throw a checked exception (JLS §15.27.3), and it needs Java 8.
    Stream,
    Loop,
}

/// The assertion that an expression gives both truth values (`is_boolean`), or more different
/// values than `above`, after these lines. `None` if the lines already use its names.
#[must_use]
pub fn repeating(
    style: &Style,
    lines: &[String],
    expression: &str,
    (is_boolean, above): (bool, usize),
    calls: Calls,
) -> Option<Assertion> {
    let import = |name: &str| NewImport { is_static: false, name: name.to_owned() };
    let expected = Expected::Varied { is_boolean, above };
    if calls == Calls::Stream {
        let lambda = style.call("Stream.generate", &[&format!("() -> {expression}")]);
        let counted = format!(".{}.distinct().count()", style.call("limit", &[&Repeat::CALLS.to_string()]));
        let mut asserted = assertion(style, &format!("{lambda}{counted}"), &expected);
        if asserted.code.len() > LONGEST && !lines.iter().any(|line| mentions(line, "different")) {
            let deeper = style.indent.repeat(2);
            asserted = assertion(style, "different", &expected);
            asserted.code = format!("long different = {lambda}\n{deeper}{counted};\n{}", asserted.code);
        }
        asserted.imports.push(import("java.util.stream.Stream"));
        return Some(asserted);
    }
    if lines.iter().any(|line| mentions(line, "seen") || mentions(line, "i")) {
        return None;
    }
    let mut asserted = assertion(style, "seen.size()", &expected);
    let class = if is_boolean { "Boolean" } else { "Object" };
    let head = style.call("for ", &[&format!("int i = 0; i < {}; i++", Repeat::CALLS)]);
    let brace = if style.brace_below { "\n{" } else { " {" };
    let add = style.call("seen.add", &[expression]);
    asserted.code = format!(
        "Set<{class}> seen = new HashSet<{class}>();\n{head}{brace}\n{}{add};\n}}\n{}",
        style.indent, asserted.code
    );
    asserted.imports.extend([import("java.util.HashSet"), import("java.util.Set")]);
    Some(asserted)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::source::test_source::TestSource;
    use std::path::Path;

    const TEST: &str = "package a;
import org.junit.Test;
class CoinTest {
    @Test
    public void boxes() {
        Coin coin = new Coin();
        Coin.Box box = coin.box();
        assertEquals(1, box.text().length());
    }
}
";

    #[test]
    fn calls_are_repeated_by_a_stream_or_a_loop() {
        let source = TestSource::of(Path::new("CoinTest.java"), TEST.to_owned()).unwrap();
        let style = Style::of(&source, &source.methods[0]);
        let code = |expected, calls| repeating(&style, &[], "coin.flip()", expected, calls).unwrap().code;
        let stream = "Stream.generate(() -> coin.flip()).limit(100).distinct().count()";
        assert_eq!(code((true, 1), Calls::Stream), format!("assertEquals(2, {stream});"));
        assert_eq!(code((false, 10), Calls::Stream), format!("assertTrue({stream} > 10);"));
        let long = format!("coin.{}()", "flip".repeat(20));
        let split = repeating(&style, &[], &long, (false, 1), Calls::Stream).unwrap().code;
        let lines = format!("long different = Stream.generate(() -> {long})\n        .limit(100).distinct().count();");
        assert_eq!(split, format!("{lines}\nassertTrue(different > 1);"));
        let set = "Set<Boolean> seen = new HashSet<Boolean>();\nfor (int i = 0; i < 100; i++) {\n    seen.add(coin.flip());\n}";
        assert_eq!(code((true, 1), Calls::Loop), format!("{set}\nassertEquals(2, seen.size());"));
        assert_eq!(repeating(&style, &["int i = 1;".to_owned()], "f(i)", (true, 1), Calls::Loop), None);
    }
}
