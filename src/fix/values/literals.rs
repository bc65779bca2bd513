//! Literals and arrays as values.

use crate::fix::values::catalog::Values;
use crate::fix::values::value::Value;

/// Most texts that become arrays of characters.
const TEXTS: usize = 8;

/// Most long texts that get another first character, and most characters for each.
const EDITED: usize = 3;

/// The length from which a text is long, in bytes.
const LONG: usize = 12;

/// The cost of such a text.
const EDITED_COST: usize = 9;

/// The cost of a text of several words.
const SENTENCE_COST: usize = 30;

impl Values<'_> {
    /// Literals of a type, from the constants of the program and its tests.
    pub(super) fn mined(&self, type_name: &str) -> Vec<Value> {
        let plain = |code: String, cost: usize| Value { code, cost, ..Value::default() };
        let numbers = || self.numbers.iter().enumerate();
        match type_name {
            "java.lang.String" | "java.lang.CharSequence" => {
                // Parts of messages are hardly what anybody would try first.
                let strangeness = |text: &str| match text {
                    text if is_word(text) => 0,
                    text if text.contains(' ') => SENTENCE_COST,
                    _ => 6,
                };
                let cost = |index: usize, text: &str| 1 + index + strangeness(text);
                let texts = self.texts.iter().enumerate().map(|(index, text)| plain(text.clone(), cost(index, text)));
                let edited = self.edited().into_iter().enumerate();
                texts.chain(edited.map(|(index, text)| plain(text, EDITED_COST + 2 * index))).collect()
            }
            "int" => numbers()
                .filter_map(|(index, number)| Some(plain(i32::try_from(*number).ok()?.to_string(), 4 + index)))
                .collect(),
            "long" => numbers().map(|(index, number)| plain(format!("{number}L"), 4 + index)).collect(),
            "char" | "byte" => {
                let characters =
                    numbers().filter_map(|(_, number)| char::from_u32(u32::try_from(*number).ok()?)).chain(
                        self.texts
                            .iter()
                            .flat_map(|text| text.trim_matches('"').chars().take(2).collect::<Vec<char>>()),
                    );
                let printable = characters
                    .filter(|one| (one.is_ascii_graphic() || *one == ' ') && !matches!(one, '\'' | '\\' | '"'));
                let cast = if type_name == "byte" { "(byte) " } else { "" };
                printable.enumerate().map(|(index, one)| plain(format!("{cast}'{one}'"), 4 + index)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Long texts that begin with a character for which the program looks.
    fn edited(&self) -> Vec<String> {
        let mut long: Vec<&String> =
            self.texts.iter().filter(|text| text.len() >= LONG && !text.contains([' ', '\\'])).take(EDITED).collect();
        long.sort_by_key(|text| !is_word(text));
        let characters = self.numbers.iter().filter_map(|number| u8::try_from(*number).ok()).map(char::from);
        let characters: Vec<char> =
            characters.filter(|one| one.is_ascii_punctuation() && !matches!(one, '"' | '\\')).take(EDITED).collect();
        let edited = |text: &String| {
            let rest = text.get(2..).unwrap_or_default().to_owned();
            characters.iter().map(move |one| format!("\"{one}{rest}")).collect::<Vec<String>>()
        };
        long.into_iter().flat_map(edited).collect()
    }

    pub(super) fn arrays(&self, element: &str, depth: usize) -> Vec<Value> {
        let (written, imports) = self.written(element.trim_end_matches("[]"));
        let written = format!("{written}{}", "[]".repeat(element.matches("[]").count()));
        let dimensions = element.matches("[]").count();
        let empty = if dimensions == 0 {
            format!("new {written}[0]")
        } else {
            format!("new {}[0]{}", written.trim_end_matches("[]"), "[]".repeat(dimensions))
        };
        let mut found = Vec::new();
        for (index, value) in
            self.of(element, depth.saturating_sub(1)).iter().filter(|one| one.code != "null").take(4).enumerate()
        {
            let of_all = value.imports.iter().chain(&imports).cloned().collect();
            let inner = value.code.strip_prefix("(byte) ").filter(|_| element == "byte").unwrap_or(&value.code);
            found.push(Value {
                before: value.before.clone(),
                code: format!("new {written}[] {{{inner}}}"),
                imports: of_all,
                throws: value.throws.clone(),
                cost: value.cost.min(3) + 1 + index,
            });
        }
        found.push(Value { code: empty, imports, cost: 4, ..Value::default() });
        if element == "char" {
            let mut texts = self.mined("java.lang.String");
            texts.sort_by_key(|text| text.cost);
            found.extend(texts.into_iter().take(TEXTS).enumerate().map(|(index, text)| Value {
                code: format!("{}.toCharArray()", text.code),
                cost: 2 + index,
                ..text
            }));
        }
        found
    }
}

/// Whether a text, apart from its quotes, has only letters and digits.
fn is_word(text: &str) -> bool {
    text.trim_matches('"').chars().all(|one| one.is_ascii_alphanumeric())
}
