//! Texts and numbers of the program and its tests, nearest to the method first.

use crate::classfile::outline::{ClassOutline, MethodOutline};
use crate::fix::source::test_source::TestSource;
use crate::fix::subject::Subject;
use crate::fix::values::value::WAYS;
use crate::text::words;

/// Most texts of the method, of its class, and of the tests.
const TEXTS: [usize; 3] = [16, 24, 200];
/// Most numbers.
const NUMBERS: usize = 24;
/// Longest text of the tests that is used, in bytes.
const LONGEST: usize = 24;

/// Texts as Java source, and numbers: of the method, of its class, of the callers through which a
/// test reaches it, and of the tests.
pub fn constants(subject: &Subject<'_>, source: &TestSource) -> (Vec<String>, Vec<i64>) {
    let outlines = subject.outlines;
    let own = outlines.method(&subject.method.member());
    let mut near: Vec<&MethodOutline> = own.into_iter().collect();
    // Methods of its own class that it calls belong to it.
    let called = own.into_iter().flat_map(|own| &own.calls).filter(|call| call.to.owner == subject.method.class);
    near.extend(called.filter_map(|call| outlines.method(&call.to)));
    near.truncate(WAYS);
    let mut around: Vec<&ClassOutline> = outlines.class(&subject.method.class).into_iter().collect();
    around.extend(outlines.class(words::top_level(&subject.method.class)));
    for caller in subject.callable(&source.package) {
        around.extend(outlines.class(&caller.class));
    }
    let mut texts: Vec<String> = Vec::new();
    let mut numbers: Vec<i64> = Vec::new();
    let add = |texts: &mut Vec<String>, numbers: &mut Vec<i64>, methods: &[&MethodOutline], most: usize| {
        let limit = texts.len() + most;
        for method in methods {
            for text in &method.texts {
                let literal = literal(text);
                if texts.len() < limit && !texts.contains(&literal) {
                    texts.push(literal);
                }
            }
            for number in
                method.numbers.iter().flat_map(|number| [*number, number.saturating_add(1), number.saturating_sub(1)])
            {
                if numbers.len() < NUMBERS && !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
    };
    add(&mut texts, &mut numbers, &near, TEXTS[0]);
    let all: Vec<&MethodOutline> = around.iter().flat_map(|class| &class.methods).collect();
    add(&mut texts, &mut numbers, &all, TEXTS[1]);
    let of_tests = source.literals().into_iter().filter(|text| text.len() <= LONGEST && !texts.contains(text));
    let of_tests: Vec<String> = of_tests.take(TEXTS[2]).collect();
    texts.extend(of_tests);
    (texts, numbers)
}

/// A text as Java source.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(character),
            other => {
                let mut units = [0_u16; 2];
                for unit in other.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
    out
}
