//! The usual values of types from `rules/values.toml`.

use crate::base::error::{Error, Result};
use crate::observation::kinds::Kinds;
use std::collections::BTreeMap;

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
        let kinds = Kinds::embedded().map_err(|error| Error::bug(format!("{error}.")))?;
        let makeable = kinds.value.iter().filter(|kind| !kind.make.is_empty());
        let by_type = makeable.map(|kind| (kind.r#type.clone(), (kind.make.clone(), kind.imports()))).collect();
        Ok(Self { by_type, mocks })
    }
}
