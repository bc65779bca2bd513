//! The system properties that surefire sets before the first test.

use super::selection::read;
use crate::base::error::Result;
use crate::recipe::handover::{MavenProject, SurefireParameters};
use crate::recipe::jvm_arguments::first_fork;
use crate::recipe::properties::parse_properties;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) fn given(values: &BTreeMap<String, Option<String>>) -> BTreeMap<String, String> {
    values.iter().map(|(name, value)| (name.clone(), first_fork(value.as_deref().unwrap_or_default()))).collect()
}

impl SurefireParameters {
    /// The system properties in surefire's order, in which a later one wins, and then those that
    /// surefire sets itself.
    pub(crate) fn system_properties(
        &self,
        module: &MavenProject,
        working_directory: &Path,
        test_class_path: &[PathBuf],
    ) -> Result<BTreeMap<String, String>> {
        let mut properties = given(&self.system_properties);
        if let Some(file) = &self.system_properties_file {
            properties.extend(read_properties(file)?);
        }
        properties.extend(given(&self.system_property_variables));
        if self.promote_user_properties_to_system_properties.unwrap_or(true) {
            // This property is reneri's, not the user's.
            let users = module.user_properties.iter().filter(|(name, _)| *name != "maven.ext.class.path");
            properties.extend(users.map(|(name, value)| (name.clone(), value.clone())));
        }
        properties.insert("basedir".into(), module.base_directory.to_string_lossy().into());
        properties.insert("localRepository".into(), module.local_repository.clone());
        properties.insert("user.dir".into(), working_directory.to_string_lossy().into());
        let joined = std::env::join_paths(test_class_path).unwrap_or_default();
        properties.insert("surefire.test.class.path".into(), joined.to_string_lossy().into());
        Ok(properties)
    }

    /// The engine's parameters; `configurationParameters` is a text in the format of Java's
    /// properties files.
    pub(crate) fn engine_parameters(&self) -> BTreeMap<String, String> {
        let text = self.properties.get("configurationParameters").and_then(Option::as_deref).unwrap_or_default();
        parse_properties(text)
    }
}

fn read_properties(file: &Path) -> Result<BTreeMap<String, String>> {
    read(file).map(|text| parse_properties(&text))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::super::testing::{module, surefire};
    use super::*;
    use serde_json::json;

    #[test]
    fn system_properties_override_each_other_in_surefires_order() {
        let module = module(json!({"userProperties": {"c": "user", "maven.ext.class.path": "/ours"}}));
        let surefire = surefire(json!({
            "systemProperties": {"a": "old", "b": "old", "fork": "${surefire.forkNumber}"},
            "systemPropertyVariables": {"b": "new", "c": "new", "empty": null}}));
        let properties =
            surefire.system_properties(&module, Path::new("/p/work"), &["/p/c".into(), "/p/t".into()]).unwrap();
        let expected = [
            ("a", "old"),
            ("b", "new"),
            ("basedir", "/p"),
            ("c", "user"),
            ("empty", ""),
            ("fork", "1"),
            ("localRepository", "/r"),
            ("surefire.test.class.path", "/p/c:/p/t"),
            ("user.dir", "/p/work"),
        ];
        assert_eq!(properties, expected.map(|(name, value)| (name.to_string(), value.to_string())).into());
    }

    #[test]
    fn engine_parameters_are_lines_of_properties() {
        let surefire = surefire(json!({"properties": {"configurationParameters": "\n junit.jupiter.x = a\n y=b"}}));
        let expected = [("junit.jupiter.x", "a"), ("y", "b")];
        assert_eq!(
            surefire.engine_parameters(),
            expected.map(|(name, value)| (name.to_string(), value.to_string())).into()
        );
    }
}
