//! The texts of `rules/symptoms`, for the legend of the report and for `reneri explain`.

use crate::base::error::{Error, Result};
use crate::diagnose::Symptom;
use serde::{Deserialize, Serialize};

/// The text of one symptom.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SymptomText {
    pub name: Symptom,
    /// One line, for readers who see the word for the first time.
    pub short: String,
    /// The remedy, in a few words.
    pub remedy: String,
    /// Several paragraphs.
    pub long: String,
    /// Java: a method, a change to it, and a test that misses the change for this reason.
    pub example: String,
}

const FILES: [(&str, &str); 4] = [
    ("weak-oracle", include_str!("../../rules/symptoms/weak-oracle.toml")),
    ("no-propagation", include_str!("../../rules/symptoms/no-propagation.toml")),
    ("no-infection", include_str!("../../rules/symptoms/no-infection.toml")),
    ("undecided", include_str!("../../rules/symptoms/undecided.toml")),
];

/// All symptoms, in the order in which reports name them.
///
/// # Errors
/// Only if reneri has a bug: the files are part of the binary.
pub fn symptom_texts() -> Result<Vec<SymptomText>> {
    FILES
        .iter()
        .map(|(name, text)| {
            toml::from_str(text)
                .map_err(|error| Error::bug(format!("rules/symptoms/{name}.toml cannot be read: {error}.")))
        })
        .collect()
}

/// The name of a symptom, as in reports.
#[must_use]
pub fn word(symptom: Symptom) -> &'static str {
    match symptom {
        Symptom::WeakOracle => "weak-oracle",
        Symptom::NoPropagation => "no-propagation",
        Symptom::NoInfection => "no-infection",
        Symptom::Undecided => "undecided",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_symptom_has_a_file_with_its_name() {
        let texts = symptom_texts().unwrap();
        let names: Vec<&str> = texts.iter().map(|text| word(text.name)).collect();
        let files: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, files);
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/symptoms");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), FILES.len());
    }
}
