//! Promises of method names that an asserted value breaks (issue 8). A remark then asks the reader
//! to look.

use crate::fix::expected::Expected;
use crate::fix::source::mention::mentions;

/// First words of methods that put something into an object.
const PUTTING: [&str; 9] = ["add", "put", "append", "push", "insert", "offer", "enqueue", "register", "set"];
/// First words of methods that take something out of an object.
const TAKING: [&str; 8] = ["remove", "clear", "pop", "poll", "take", "drain", "reset", "dequeue"];

/// The remark on a value of `expression` that contradicts the names, after the statements `before`:
/// Markdown. `None` if the value is as one would expect.
#[must_use]
pub fn broken(before: &str, expression: &str, expected: &Expected) -> Option<String> {
    let (receiver, call) = expression.rsplit_once('.').filter(|(receiver, _)| is_name(receiver)).or_else(|| {
        // In `a.equals(b.c())`, the first point ends the receiver.
        expression.split_once('.').filter(|(receiver, _)| is_name(receiver))
    })?;
    let (name, argument) = call.strip_suffix(')')?.split_once('(')?;
    let says = |value: &str, why: &str| Some(format!("`{expression}` is `{value}` {why}"));
    let put = || put_in(before, receiver);
    match (name, expected) {
        ("equals", Expected::Bool(false)) if argument == receiver => says("false", "though it is the same object"),
        ("equals", Expected::Bool(true)) if argument == "null" => says("true", "though nothing equals `null`"),
        ("compareTo", Expected::Equal { source, .. }) if argument == receiver && source != "0" => {
            says(source, "though it is the same object")
        }
        ("compareTo", Expected::Sign { .. }) if argument == receiver => says("not 0", "though it is the same object"),
        ("isEmpty", Expected::Bool(true)) if argument.is_empty() => says("true", &format!("after `{}`", put()?)),
        ("size" | "length" | "count", Expected::Equal { source, .. }) if argument.is_empty() && source == "0" => {
            says("0", &format!("after `{}`", put()?))
        }
        ("contains" | "containsKey" | "has", Expected::Bool(false)) => {
            let put = put().filter(|put| put.contains(&format!("({argument}")))?;
            says("false", &format!("after `{put}`"))
        }
        _ => {
            let property =
                name.strip_prefix("get").or_else(|| name.strip_prefix("is")).filter(|_| argument.is_empty())?;
            let (_, rest) = before.rsplit_once(&format!("{receiver}.set{property}("))?;
            let set = rest.lines().next()?.trim_end().trim_end_matches(';').strip_suffix(')')?;
            let value = match expected {
                Expected::Bool(value) => value.to_string(),
                Expected::Null => "null".to_owned(),
                Expected::Equal { source, .. } => source.clone(),
                _ => return None,
            };
            let is_plain = set.starts_with('"') || matches!(set, "true" | "false") || set.parse::<f64>().is_ok();
            (is_plain && set != value).then(|| format!("`{expression}` is `{value}` after `set{property}({set})`"))
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|one| one.is_alphanumeric() || one == '_')
}

/// The last call that puts something into the object, unless a later call takes something out.
fn put_in(before: &str, receiver: &str) -> Option<String> {
    let mut found = None;
    for line in before.lines().map(str::trim).filter(|line| mentions(line, receiver)) {
        let Some((_, call)) = line.split_once(&format!("{receiver}.")) else { continue };
        if TAKING.iter().any(|word| call.starts_with(word)) {
            found = None;
        } else if PUTTING.iter().any(|word| call.starts_with(word)) {
            found = call.trim_end_matches(';').split_inclusive(')').next().map(str::to_owned);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_breaks_the_promise_of_a_name_gets_a_remark() {
        let of = |before: &str, expression: &str, expected: Expected| broken(before, expression, &expected);
        let equal = |source: &str| Expected::Equal { source: source.into(), type_name: "int".into() };
        let added = "Box box = new Box();\nbox.add(\"a\");";
        let strange = of(added, "box.isEmpty()", Expected::Bool(true));
        assert_eq!(strange.as_deref(), Some("`box.isEmpty()` is `true` after `add(\"a\")`"));
        assert_eq!(of(added, "box.isEmpty()", Expected::Bool(false)), None);
        assert_eq!(of("Box box = new Box();", "box.isEmpty()", Expected::Bool(true)), None);
        assert_eq!(of(&format!("{added}\nbox.clear();"), "box.isEmpty()", Expected::Bool(true)), None);
        assert!(of(added, "box.size()", equal("0")).is_some() && of(added, "box.size()", equal("1")).is_none());
        assert!(of(added, "box.contains(\"a\")", Expected::Bool(false)).is_some());
        assert_eq!(of(added, "box.contains(\"b\")", Expected::Bool(false)), None);
        assert!(of("", "box.equals(box)", Expected::Bool(false)).is_some());
        assert!(of("", "box.compareTo(box)", Expected::Sign { is_negative: true }).is_some());
        assert!(of("", "box.equals(null)", Expected::Bool(true)).is_some());
        assert!(of("box.setAge(3);", "box.getAge()", equal("4")).is_some());
        assert_eq!(of("box.setAge(3);", "box.getAge()", equal("3")), None);
        assert!(of("box.setOpen(true);", "box.isOpen()", Expected::Bool(false)).is_some());
    }
}
