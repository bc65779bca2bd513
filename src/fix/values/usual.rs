//! The usual values of types from `rules/values.toml`.

use crate::base::error::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The rule file, as it is in the repository.
const RULES: &str = include_str!("../../../rules/values.toml");

/// An entry of `rules/values.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Usual {
    r#type: String,
    code: Vec<String>,
    #[serde(default)]
    imports: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    value: Vec<Usual>,
}

/// Values that do not come from the project.
pub struct UsualValues {
    /// By type, the usual values and their imports.
    pub(super) by_type: BTreeMap<String, (Vec<String>, Vec<String>)>,
    /// Whether the tests have Mockito.
    pub(super) mocks: bool,
}

impl UsualValues {
    /// # Errors
    ///
    /// When `rules/values.toml` cannot be read. That is a bug, because it is part of the binary.
    pub fn read(mocks: bool) -> Result<Self> {
        let rules: Rules =
            toml::from_str(RULES).map_err(|error| Error::bug(format!("rules/values.toml cannot be read: {error}.")))?;
        let by_type = rules.value.into_iter().map(|one| (one.r#type, (one.code, one.imports))).collect();
        Ok(Self { by_type, mocks })
    }
}
