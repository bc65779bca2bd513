//! Checks the words of `--transformations` and the stop rules that are switched off.

use crate::base::did_you_mean::nearest;
use crate::base::error::{Error, Result};
use crate::transform::operators::{self, Operator};
use crate::transform::stop;

/// The word that selects the study's transformations.
const DEFAULT: &str = "default";
/// The word that selects every transformation.
const ALL: &str = "all";

/// The transformations to make, and the stop rules to skip. `Selection::default()` is that of the
/// study: its transformations, and all rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    transformations: Option<Vec<String>>,
    switched_off_rules: Vec<String>,
}

impl Selection {
    /// `transformations` are names of `rules/transformations.toml`, or `default`, `all`, `boxed`;
    /// `None` is the default set. `switched_off_rules` are names of files in `rules/stop-methods`,
    /// or `all`.
    ///
    /// # Errors
    /// If a name does not exist; the error suggests the nearest one that does.
    pub fn new(transformations: Option<Vec<String>>, switched_off_rules: Vec<String>) -> Result<Self> {
        if let Some(names) = &transformations {
            if names.is_empty() {
                return Err(Error::usage(
                    "No transformation is selected.",
                    "Name at least one, or leave the option out for the default set.",
                ));
            }
            let mut known: Vec<String> = Vec::new();
            for word in [DEFAULT, ALL].into_iter().map(str::to_string).chain(selectors()?) {
                if !known.contains(&word) {
                    known.push(word);
                }
            }
            check("transformation", names, &known)?;
        }
        let known: Vec<String> =
            std::iter::once(ALL).chain(stop::RULES.iter().map(|rule| rule.name)).map(str::to_string).collect();
        check("stop rule", &switched_off_rules, &known)?;
        Ok(Self { transformations, switched_off_rules })
    }

    /// The selected operators, in the order of the rules.
    ///
    /// # Errors
    /// A bug if the built-in rules are broken.
    pub fn operators(&self) -> Result<Vec<Operator>> {
        let selects = |operator: &Operator| match &self.transformations {
            None => operator.default,
            Some(names) => names.iter().any(|name| match name.as_str() {
                ALL => true,
                DEFAULT => operator.default,
                name => name == operator.selector(),
            }),
        };
        Ok(operators::all()?.into_iter().filter(selects).collect())
    }

    /// Whether the stop rule of that name is asked.
    #[must_use]
    pub fn asks(&self, rule: &str) -> bool {
        !self.switched_off_rules.iter().any(|name| name == rule || name == ALL)
    }
}

fn selectors() -> Result<Vec<String>> {
    Ok(operators::all()?.iter().map(|operator| operator.selector().to_string()).collect())
}

fn check(what: &str, names: &[String], known: &[String]) -> Result<()> {
    for name in names {
        if !known.contains(name) {
            let next = match nearest(name, known).first() {
                Some(nearest) => format!("Did you mean `{nearest}`? All of them: {}.", listed(known)),
                None => format!("Use one of: {}.", listed(known)),
            };
            return Err(Error::usage(format!("There is no {what} `{name}`."), next));
        }
    }
    Ok(())
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
