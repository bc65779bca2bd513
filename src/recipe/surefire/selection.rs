//! The test classes that surefire's parameters select, and their order.

use crate::base::error::{Error, Result};
use crate::base::read::read_text;
use crate::recipe::RunOrder;
use crate::recipe::filter::TestFilter;
use crate::recipe::handover::{SurefireParameters, trimmed};
use std::path::Path;

impl SurefireParameters {
    pub(crate) fn filter(&self) -> Result<TestFilter> {
        let lists =
            |patterns: &[Option<String>]| patterns.iter().flatten().filter_map(|pattern| trimmed(pattern)).collect();
        let groups = |parameter: &Option<String>, names: [&str; 2]| {
            let property = names.iter().find_map(|name| self.properties.get(*name).cloned().flatten());
            parameter.clone().or(property).as_deref().and_then(trimmed)
        };
        let mut filter = TestFilter {
            groups: groups(&self.groups, ["groups", "includeTags"]),
            excluded_groups: groups(&self.excluded_groups, ["excludedGroups", "excludeTags"]),
            ..TestFilter::default()
        };
        if let Some(test) = self.test.as_deref().and_then(trimmed) {
            // The POM's excludes do not apply to tests that are named on the command line.
            filter.includes = test.split(',').filter_map(trimmed).collect();
            return Ok(filter);
        }
        filter.includes = lists(&self.includes);
        filter.excludes = lists(&self.excludes);
        for (file, patterns) in
            [(&self.includes_file, &mut filter.includes), (&self.excludes_file, &mut filter.excludes)]
        {
            if let Some(file) = file {
                let lines = read(file)?;
                patterns.extend(lines.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(trimmed));
            }
        }
        if filter.includes.is_empty() {
            filter.includes = self.default_includes.clone().unwrap_or_else(|| TestFilter::of_surefire().includes);
        }
        if filter.excludes.is_empty() {
            filter.excludes = TestFilter::of_surefire().excludes;
        }
        Ok(filter)
    }

    /// The first order if several are given (`DefaultRunOrderCalculator`).
    fn run_order_name(&self) -> String {
        let names = self.run_order.as_deref().unwrap_or_default().to_ascii_lowercase();
        names.split(',').find_map(trimmed).unwrap_or_else(|| "filesystem".into())
    }

    pub(crate) fn run_order(&self) -> RunOrder {
        match self.run_order_name().as_str() {
            "filesystem" => RunOrder::Filesystem,
            "reversealphabetical" => RunOrder::ReverseAlphabetical,
            _ => RunOrder::Alphabetical,
        }
    }

    pub(crate) fn deviations(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.reuse_forks == Some(false) || matches!(self.fork_mode.as_deref(), Some("always" | "pertest")) {
            notes.push("Surefire starts a JVM for each test class; reneri runs them in one.".to_string());
        }
        let order = self.run_order_name();
        if !["filesystem", "alphabetical", "reversealphabetical"].contains(&order.as_str()) {
            notes.push(format!(
                "Surefire's order of test classes is `{order}`; reneri runs them in alphabetical order."
            ));
        }
        notes
    }
}

pub(super) fn read(file: &Path) -> Result<String> {
    read_text(file).map_err(|error| {
        Error::cannot_build(
            format!("{}, which surefire's configuration names, cannot be read: {error}.", file.display()),
            "Check the configuration of maven-surefire-plugin.",
        )
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::super::testing::surefire;
    use super::*;
    use serde_json::json;

    #[test]
    fn surefires_defaults_apply_without_configuration() {
        let filter = surefire(json!({"defaultIncludes": ["**/Test*.java", "**/*Test.java"]})).filter().unwrap();
        assert_eq!(filter.includes, ["**/Test*.java", "**/*Test.java"]);
        assert_eq!(filter.excludes, ["**/*$*"]);
        let filter = surefire(json!({})).filter().unwrap();
        assert_eq!(filter.includes, ["**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"]);
    }

    #[test]
    fn configured_includes_and_excludes_replace_their_own_defaults_only() {
        let filter = surefire(json!({"excludes": [" **/Slow*.java ", null, ""]})).filter().unwrap();
        assert_eq!(filter.excludes, ["**/Slow*.java"]);
        assert_eq!(filter.includes.len(), 4);
        let filter = surefire(json!({"includes": ["**/*Spec.java"]})).filter().unwrap();
        assert_eq!((filter.includes, filter.excludes), (vec!["**/*Spec.java".into()], vec!["**/*$*".into()]));
    }

    #[test]
    fn patterns_are_also_read_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("excludes");
        std::fs::write(&file, "# slow\n**/Slow*.java\n\n").unwrap();
        assert_eq!(surefire(json!({"excludesFile": file})).filter().unwrap().excludes, ["**/Slow*.java"]);
        let error = surefire(json!({"includesFile": folder.path().join("none")})).filter().unwrap_err();
        assert!(error.what.contains("none"), "{error}");
    }

    #[test]
    fn tests_named_on_the_command_line_replace_includes_and_excludes() {
        let filter =
            surefire(json!({"test": "StackTest, Queue*", "excludes": ["**/StackTest.java"]})).filter().unwrap();
        assert_eq!(filter.includes, ["StackTest", "Queue*"]);
        assert!(filter.excludes.is_empty());
        assert_eq!(surefire(json!({"test": "StackTest#pops"})).filter().unwrap().includes, ["StackTest#pops"]);
    }

    #[test]
    fn groups_come_from_parameters_or_from_the_providers_properties() {
        let filter = surefire(json!({"groups": "fast", "properties": {"excludeTags": "slow"}})).filter().unwrap();
        assert_eq!((filter.groups.as_deref(), filter.excluded_groups.as_deref()), (Some("fast"), Some("slow")));
    }

    #[test]
    fn an_order_that_varies_between_runs_becomes_alphabetical_with_a_note() {
        let order = |name: &str| {
            let surefire = surefire(json!({"runOrder": name}));
            (surefire.run_order(), surefire.deviations().len())
        };
        assert_eq!(order("filesystem"), (RunOrder::Filesystem, 0));
        assert_eq!(order("Alphabetical"), (RunOrder::Alphabetical, 0));
        assert_eq!(order("reversealphabetical,random"), (RunOrder::ReverseAlphabetical, 0));
        for name in ["random", "hourly", "failedfirst,alphabetical", "balanced"] {
            assert_eq!(order(name), (RunOrder::Alphabetical, 1), "{name}");
        }
        assert_eq!(surefire(json!({})).run_order(), RunOrder::Filesystem);
    }
}
