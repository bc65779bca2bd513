//! Inserts the chosen probes into a source text without changing its lines, and maps positions back
//! to the original.

use super::ExpressionKind;
use super::place::{Form, Place};
use super::positions::Lines;
use std::borrow::Cow;
use std::cmp::Reverse;

/// The instrumented text of one source, and its insertions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Woven {
    pub text: String,
    /// In order of position.
    inserts: Vec<Insert>,
    length: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Insert {
    /// Byte in the instrumented text.
    at: usize,
    length: usize,
    /// Byte in the original text before which it is inserted.
    original: usize,
    /// Index into the chosen places.
    place: usize,
}

/// Text to be inserted before a byte of the original.
struct Addition {
    at: usize,
    /// The order of insertions at the same byte: first ends of wraps, innermost first; then
    /// beginnings and ends of blocks; then beginnings of wraps, outermost first.
    order: (u8, Reverse<usize>),
    text: Cow<'static, str>,
    place: usize,
}

/// The origin of a position in the instrumented text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Byte of the original text.
    Original(usize),
    /// Text that was inserted for this place (index into the chosen places).
    Probe(usize),
}

/// Inserts the probes of `chosen`, sorted as [`super::place::SourcePlaces::places`], into `source`.
/// The first one gets the number `first`.
#[must_use]
pub fn weave(source: &str, chosen: &[&Place], first: usize) -> Woven {
    let mut additions: Vec<Addition> = Vec::with_capacity(chosen.len() * 2);
    for (place, at) in chosen.iter().enumerate() {
        let number = first + place;
        let mut add = |at, order, text| additions.push(Addition { at, order, text, place });
        match at.form {
            Form::Wrap => {
                // A wrap that begins later ends first, and `chosen` is sorted by beginning, so both
                // orders follow from the index.
                add(at.end, (0, Reverse(place)), Cow::Borrowed(")"));
                let head = format!("reneri.rt.Probe.p({number}, ");
                add(at.start, (2, Reverse(usize::MAX - place)), Cow::Owned(head));
            }
            Form::Caught { body } => {
                let name = source.get(at.start..at.end).unwrap_or_default();
                let text = format!("reneri.rt.Probe.caught({number}, {name});");
                add(body, (1, Reverse(place)), Cow::Owned(text));
            }
            Form::Thrown { body, end } => {
                add(body, (1, Reverse(place)), Cow::Borrowed("try {"));
                let text = format!(
                    "}} catch (java.lang.Throwable reneri$thrown) {{ throw \
                     reneri.rt.Probe.<java.lang.RuntimeException>leaving({number}, reneri$thrown); }}"
                );
                add(end, (1, Reverse(place)), Cow::Owned(text));
            }
        }
    }
    additions.sort_by_key(|addition| (addition.at, addition.order));
    let added: usize = additions.iter().map(|addition| addition.text.len()).sum();
    let mut woven = Woven {
        text: String::with_capacity(source.len() + added),
        inserts: Vec::with_capacity(additions.len()),
        length: source.len(),
    };
    let mut copied = 0;
    for Addition { at: original, text, place, .. } in additions {
        woven.text.push_str(source.get(copied..original).unwrap_or_default());
        copied = original;
        woven.inserts.push(Insert { at: woven.text.len(), length: text.len(), original, place });
        woven.text.push_str(&text);
    }
    woven.text.push_str(source.get(copied..).unwrap_or_default());
    woven
}

impl Woven {
    /// The origin of the byte `at` of the instrumented text.
    #[must_use]
    pub fn origin(&self, at: usize) -> Origin {
        let after = self.inserts.partition_point(|insert| insert.at <= at);
        let Some(insert) = after.checked_sub(1).and_then(|index| self.inserts.get(index)) else {
            return Origin::Original(at.min(self.length));
        };
        if at < insert.at + insert.length {
            Origin::Probe(insert.place)
        } else {
            Origin::Original((insert.original + (at - insert.at - insert.length)).min(self.length))
        }
    }
}

/// The table entry of `place`.
#[must_use]
pub fn expression(file: &std::path::Path, source: &str, lines: &Lines<'_>, place: &Place) -> super::Expression {
    let (line, column) = lines.position(place.start);
    let (end_line, end_column) = lines.position(place.end);
    super::Expression {
        file: file.to_path_buf(),
        line,
        column,
        end_line,
        end_column,
        text: source.get(place.start..place.end).unwrap_or_default().to_owned(),
        kind: place.kind,
        method: if place.kind == ExpressionKind::Thrown {
            source.get(place.start..place.end).map(str::to_owned)
        } else {
            place.method.as_deref().map(str::to_owned)
        },
        repeats: place.repeats,
    }
}
