//! Reads Java properties files.

use std::collections::BTreeMap;

/// Reads as `java.util.Properties.load` does: comments, continued lines, `=`, `:` or white space
/// between name and value, escapes.
pub(super) fn parse_properties(text: &str) -> BTreeMap<String, String> {
    let mut properties = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start().to_string();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        while line.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1 {
            line.pop();
            match lines.next() {
                Some(next) => line.push_str(next.trim_start()),
                None => break,
            }
        }
        let mut escaped = false;
        let end = line.find(|c: char| {
            let separates = !escaped && (c == '=' || c == ':' || c.is_whitespace());
            escaped = c == '\\' && !escaped;
            separates
        });
        let (name, rest) = line.split_at(end.unwrap_or(line.len()));
        let rest = rest.trim_start();
        let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start();
        properties.insert(unescaped(name), unescaped(value));
    }
    properties
}

fn unescaped(text: &str) -> String {
    let mut result = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let plain = match (c, chars.as_str().chars().next()) {
            ('\\', Some(escape)) => {
                chars.next();
                match escape {
                    't' => '\t',
                    'n' => '\n',
                    'r' => '\r',
                    'f' => '\u{c}',
                    'u' => {
                        let code: String = chars.by_ref().take(4).collect();
                        u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
                    }
                    other => other,
                }
            }
            _ => c,
        };
        result.push(plain);
    }
    result
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn properties_files_are_read_as_java_reads_them() {
        let text = "# comment\n! comment\n a = 1\nb:2\nc 3\nd=one, \\\n   two\ne\\ f=g\\tz\\u0041\nempty\n";
        let expected = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "one, two"), ("e f", "g\tzA"), ("empty", "")];
        assert_eq!(parse_properties(text), expected.map(|(name, value)| (name.to_string(), value.to_string())).into());
    }
}
