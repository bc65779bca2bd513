//! Reads the `[[accept]]` entries of `reneri.toml` and checks each of them.

use crate::base::did_you_mean::did_you_mean;
use crate::report::{Acceptance, Which};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::value::{Date, Datetime};

/// The key of the entries.
pub(super) const ACCEPT: &str = "accept";
/// The fields of an entry, each with its description.
pub(super) const FIELDS: [(&str, &str); 6] = [
    ("id", "Id of the finding: what stands behind \"Finding\" in report.md, or the id in report.json"),
    ("class", "Binary name of the class: org.example.Stack$Node; * stands for any text"),
    ("method", "Name of the method; * stands for any text"),
    ("transformation", "Name of the transformation, as reports show it; * stands for any text"),
    ("reason", "Why it is accepted: stands in the report"),
    ("until", "Last day on which it is accepted: 2027-06-30"),
];

/// A problem in the file: its position, what is wrong, and what to do.
pub(super) struct Problem {
    pub offset: usize,
    pub what: String,
    pub next: String,
}

impl Problem {
    fn new(offset: usize, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { offset, what: what.into(), next: next.into() }
    }
}

/// Reads the value of the key. `origin` converts an offset in the text to a place for messages.
pub(super) fn acceptances(
    value: &Spanned<DeValue<'_>>,
    origin: &dyn Fn(usize) -> String,
) -> Result<Vec<Acceptance>, Problem> {
    let no_list = |offset| {
        Problem::new(offset, "`accept` has to be a list of tables", "Begin each entry with a line [[accept]].")
    };
    let list = value.get_ref().as_array().ok_or_else(|| no_list(value.span().start))?;
    let entry = |entry: &Spanned<DeValue<'_>>| {
        let offset = entry.span().start;
        let table = entry.get_ref().as_table().ok_or_else(|| no_list(offset))?;
        acceptance(table, offset, origin(offset))
    };
    list.iter().map(entry).collect()
}

fn acceptance(table: &DeTable<'_>, offset: usize, origin: String) -> Result<Acceptance, Problem> {
    let names = FIELDS.map(|(name, _)| name);
    if let Some((unknown, _)) = table.iter().find(|(name, _)| !names.contains(&&**name.get_ref())) {
        let next = did_you_mean(unknown.get_ref(), &names);
        return Err(Problem::new(
            unknown.span().start,
            format!("there is no key `{}` in an entry of `accept`", unknown.get_ref()),
            next.unwrap_or_else(|| format!("Its keys are {}.", names.join(", "))),
        ));
    }
    let field = |name: &str| table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value);
    let text = |name: &str| match field(name) {
        None => Ok(None),
        Some(value) => match value.get_ref().as_str().filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(Some(text.to_owned())),
            None => {
                Err(Problem::new(value.span().start, format!("`{name}` has to be a text in quotes"), "Correct it."))
            }
        },
    };
    let which = match (text("id")?, text("class")?, text("method")?, text("transformation")?) {
        (Some(id), None, None, None) => Which::Id(id),
        (Some(_), ..) => {
            let what = "an entry of `accept` has either an `id` or any of `class`, `method` and `transformation`";
            return Err(Problem::new(offset, what, "Make two entries of it."));
        }
        (None, None, None, None) => {
            let next = "Give it an `id`, or any of `class`, `method` and `transformation`.";
            return Err(Problem::new(offset, "an entry of `accept` does not say what is accepted", next));
        }
        (None, class, method, transformation) => Which::Pattern { class, method, transformation },
    };
    let reason = text("reason")?.ok_or_else(|| {
        let next = "Give it a `reason`: it stands in the report, for those who ask later.";
        Problem::new(offset, "an entry of `accept` does not say why", next)
    })?;
    let until = field("until").map(|value| {
        day(value.get_ref()).ok_or_else(|| {
            Problem::new(
                value.span().start,
                "`until` has to be a date",
                "Write year, month and day: until = 2027-06-30.",
            )
        })
    });
    Ok(Acceptance { origin, which, reason: reason.trim().to_owned(), until: until.transpose()? })
}

fn day(value: &DeValue<'_>) -> Option<Date> {
    let date = match value {
        DeValue::Datetime(date) => *date,
        DeValue::String(text) => text.parse::<Datetime>().ok()?,
        _ => return None,
    };
    date.date.filter(|_| date.time.is_none())
}
