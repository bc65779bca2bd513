//! Marks the findings that a project accepts, and reports entries of its list that are out of date.

use super::model::{Entry, Report, Status};
use regex::Regex;
use toml::value::Date;

/// An entry of the list: what is accepted, why, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The place of the entry, for messages: `reneri.toml:7`.
    pub origin: String,
    pub which: Which,
    pub reason: String,
    /// The last day on which the entry is valid.
    pub until: Option<Date>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// The short or long id of a transformation.
    Id(String),
    /// `*` matches any text, including dots. A missing pattern matches everything.
    Pattern { class: Option<String>, method: Option<String>, transformation: Option<String> },
}

/// Marks the accepted findings. Returns a sentence for each entry that is out of date.
///
/// An entry that matches nothing is out of date only if `everything` was analyzed.
pub fn accept(report: &mut Report, list: &[Acceptance], today: Date, everything: bool) -> Vec<String> {
    let mut notes = Vec::new();
    for acceptance in list {
        let Acceptance { origin, reason, until, which } = acceptance;
        let mut fits = which.fits();
        let mut known = false;
        let mut open: Vec<&mut Entry> = report
            .transformations
            .iter_mut()
            .filter(|entry| fits(entry))
            .inspect(|_| known = true)
            .filter(|entry| entry.status == Status::Undetected)
            .collect();
        if let Some(until) = until.filter(|until| *until < today) {
            let counts = if open.is_empty() { "" } else { ", and what it accepted counts again" };
            notes.push(format!("{origin}: its time ended with {until}{counts}. Give it another date, or remove it."));
        } else if open.is_empty() && known {
            notes.push(format!("{origin}: what it accepts is no longer undetected. Remove it."));
        } else if open.is_empty() && everything {
            notes.push(format!("{origin}: no transformation fits it. Correct it, or remove it."));
        } else {
            for entry in open.iter_mut().filter(|entry| entry.accepted.is_none()) {
                entry.accepted = Some(reason.clone());
            }
        }
    }
    report.summary.accepted = report.transformations.iter().filter(|entry| entry.accepted.is_some()).count();
    notes
}

impl Which {
    fn fits(&self) -> Box<dyn FnMut(&Entry) -> bool + '_> {
        match self {
            Self::Id(id) => Box::new(move |entry| entry.short_id.eq_ignore_ascii_case(id) || entry.id == *id),
            Self::Pattern { class, method, transformation } => {
                let [class, method, transformation] =
                    [class, method, transformation].map(|pattern| pattern.as_deref().and_then(compiled));
                let fits =
                    |pattern: &Option<Regex>, text: &str| pattern.as_ref().is_none_or(|regex| regex.is_match(text));
                Box::new(move |entry| {
                    fits(&class, &entry.class)
                        && fits(&method, &entry.method)
                        && fits(&transformation, &entry.transformation)
                })
            }
        }
    }
}

/// Compiles a pattern that has to match the whole text. A pattern of literal texts and `.*` always
/// compiles.
fn compiled(pattern: &str) -> Option<Regex> {
    let parts: Vec<String> = pattern.split('*').map(regex::escape).collect();
    Regex::new(&format!("^(?s:{})$", parts.join(".*"))).ok()
}

/// Today's date in UTC.
#[must_use]
pub fn today() -> Date {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds / 86_400)
}

/// Converts days since 1970-01-01 to a date of the Gregorian calendar. Counts in eras of 400 years
/// that begin in March (<https://howardhinnant.github.io/date_algorithms.html#civil_from_days>).
fn date(days: u64) -> Date {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let small = |number: u64| u8::try_from(number).unwrap_or(u8::MAX);
    Date { year: u16::try_from(year).unwrap_or(u16::MAX), month: small(month), day: small(day) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::report::markdown::{comment, markdown};
    use crate::report::summary;
    use crate::report::tests::versioned_set::VersionedSet;

    fn day(text: &str) -> Date {
        text.parse::<toml::value::Datetime>().unwrap().date.unwrap()
    }

    fn acceptance(which: Which) -> Acceptance {
        Acceptance { origin: "reneri.toml:3".into(), which, reason: "nobody *minds*".into(), until: None }
    }

    fn pattern(class: Option<&str>, method: Option<&str>, transformation: Option<&str>) -> Acceptance {
        let [class, method, transformation] = [class, method, transformation].map(|text| text.map(str::to_owned));
        acceptance(Which::Pattern { class, method, transformation })
    }

    fn accepted(report: &Report) -> Vec<&str> {
        report.transformations.iter().filter(|entry| entry.accepted.is_some()).map(|entry| entry.id.as_str()).collect()
    }

    #[test]
    fn ids_and_patterns_match_undetected_transformations() {
        let original = VersionedSet::new().report();
        let undetected: Vec<&Entry> =
            original.transformations.iter().filter(|entry| entry.status == Status::Undetected).collect();
        let first = undetected[0];
        let all = undetected.len();
        for (which, number) in [
            (acceptance(Which::Id(first.id.clone())), 1),
            (acceptance(Which::Id(first.short_id.to_uppercase())), 1),
            (pattern(Some("org.example.*"), None, None), all),
            (pattern(Some("*Set"), Some("*"), Some("*")), all),
            (pattern(None, Some(&first.method), Some(&first.transformation)), 1),
        ] {
            let mut report = original.clone();
            assert_eq!(
                accept(&mut report, std::slice::from_ref(&which), day("2026-01-01"), true),
                Vec::<String>::new()
            );
            assert_eq!(accepted(&report).len(), number, "{which:?}");
            assert_eq!((report.summary.accepted, report.open()), (number, all - number));
        }
    }

    #[test]
    fn an_entry_that_is_out_of_date_is_reported_and_accepts_nothing() {
        let original = VersionedSet::new().report();
        let detected = original.transformations.iter().find(|entry| entry.status == Status::Detected).unwrap();
        let all = Acceptance { until: Some(day("2026-02-28")), ..pattern(None, Some("*"), None) };
        for (list, today, everything, note) in [
            (all.clone(), "2026-03-01", true, "its time ended with 2026-02-28, and what it accepted counts again"),
            (acceptance(Which::Id(detected.id.clone())), "2026-03-01", false, "no longer undetected"),
            (pattern(Some("org.example"), None, None), "2026-03-01", true, "no transformation fits"),
            (pattern(Some("VersionedSet"), None, None), "2026-03-01", true, "no transformation fits"),
        ] {
            let mut report = original.clone();
            let notes = accept(&mut report, &[list], day(today), everything);
            assert_eq!(notes.len(), 1, "{notes:?}");
            assert!(notes[0].starts_with("reneri.toml:3: ") && notes[0].contains(note), "{notes:?}");
            assert_eq!(report, original);
        }
        let mut report = original.clone();
        assert!(accept(&mut report, &[pattern(Some("nowhere"), None, None)], day("2026-03-01"), false).is_empty());
        assert!(accept(&mut report, &[all], day("2026-02-28"), true).is_empty(), "the last day counts");
        assert_eq!(report.open(), 0);
    }

    #[test]
    fn accepted_findings_are_listed_separately_with_their_reason() {
        let mut report = VersionedSet::new().report();
        let one = report.transformations.iter().find(|entry| entry.status == Status::Undetected).unwrap().id.clone();
        accept(&mut report, &[acceptance(Which::Id(one))], day("2026-01-01"), true);
        insta::assert_snapshot!("report.md", markdown(&report, Some("../../")).unwrap());
        insta::assert_snapshot!("summary.md", comment(&report).unwrap());
        insta::assert_snapshot!("summary", summary(&report, "target/reneri/report.md"));
    }

    #[test]
    fn days_convert_to_calendar_dates() {
        for (days, text) in [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_513, "2026-03-01")] {
            assert_eq!(date(days).to_string(), text);
        }
        assert_eq!(date(47_540).to_string(), "2100-02-28");
        assert_eq!(date(47_541).to_string(), "2100-03-01");
    }
}
