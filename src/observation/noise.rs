//! The rules in `rules/noise.toml`: texts to mask before comparing, properties that are never
//! compared, and objects that are never looked into.

use regex::{Regex, RegexSet};
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::LazyLock;

const EMBEDDED: &str = include_str!("../../rules/noise.toml");

/// Rules for values that say nothing about the program because of their origin, even if they are
/// constant.
#[derive(Debug, Default)]
pub struct NoiseRules {
    masks: Vec<(Regex, String)>,
    /// All patterns of `masks`, to find the texts that match any of them: most match none.
    any_mask: RegexSet,
    ignored: RegexSet,
    opaque: RegexSet,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    mask: Vec<Mask>,
    ignore: Vec<Ignore>,
    opaque: Vec<Opaque>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "name, reason and examples are for readers and for the test that proves each rule")]
struct Mask {
    name: String,
    because: String,
    pattern: String,
    replacement: String,
    examples: Vec<String>,
    counterexamples: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "name, reason and examples are for readers and for the test that proves each rule")]
struct Ignore {
    name: String,
    because: String,
    path: String,
    examples: Vec<String>,
    counterexamples: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "name, reason and examples are for readers and for the test that proves each rule")]
struct Opaque {
    name: String,
    because: String,
    class: String,
    examples: Vec<String>,
    counterexamples: Vec<String>,
}

impl NoiseRules {
    /// The embedded rules of `rules/noise.toml`. A test makes sure that they can be parsed.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static RULES: LazyLock<NoiseRules> = LazyLock::new(|| NoiseRules::parse(EMBEDDED).unwrap_or_default());
        &RULES
    }

    /// Parses rules in the format of `rules/noise.toml`.
    ///
    /// # Errors
    /// A description of the entry or pattern that is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: RuleFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let set = |patterns: Vec<&str>| RegexSet::new(patterns).map_err(|error| error.to_string());
        let masks = file
            .mask
            .iter()
            .map(|mask| Regex::new(&mask.pattern).map(|pattern| (pattern, mask.replacement.clone())))
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            masks,
            any_mask: set(file.mask.iter().map(|mask| mask.pattern.as_str()).collect())?,
            ignored: set(file.ignore.iter().map(|rule| rule.path.as_str()).collect())?,
            opaque: set(file.opaque.iter().map(|rule| rule.class.as_str()).collect())?,
        })
    }

    /// Whether properties with this path are never compared.
    #[must_use]
    pub fn is_noise(&self, path: &str) -> bool {
        !path.is_empty() && self.ignored.is_match(path)
    }

    /// Whether neither the contents of objects of this class nor their exact class are compared.
    /// Whether there is an object or `null` is compared: a setter that no longer stores a mock is
    /// an infection.
    #[must_use]
    pub fn is_opaque(&self, class: &str) -> bool {
        self.opaque.is_match(class)
    }

    /// The text with everything that differs by accident masked as `#`: `"Node@6d06d69c"` becomes
    /// `"Node@#"`.
    #[must_use]
    pub fn normalise<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut result = Cow::Borrowed(text);
        for mask in &self.any_mask.matches(text) {
            if let Some((pattern, replacement)) = self.masks.get(mask)
                && let Cow::Owned(masked) = pattern.replace_all(&result, replacement.as_str())
            {
                result = Cow::Owned(masked);
            }
        }
        result
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_fires_on_its_examples_and_not_on_its_counterexamples() {
        let file: RuleFile = toml::from_str(EMBEDDED).unwrap();
        let rules = NoiseRules::parse(EMBEDDED).unwrap();
        for rule in &file.mask {
            let pattern = Regex::new(&rule.pattern).unwrap();
            for example in &rule.examples {
                assert!(pattern.is_match(example), "mask {} on {example}", rule.name);
                assert!(rules.normalise(example).contains('#'), "{example}: {}", rules.normalise(example));
            }
            for example in &rule.counterexamples {
                assert!(!pattern.is_match(example), "mask {} on {example}", rule.name);
            }
        }
        for rule in &file.ignore {
            let pattern = Regex::new(&rule.path).unwrap();
            for example in &rule.examples {
                assert!(pattern.is_match(example), "ignore {} on {example}", rule.name);
                assert!(rules.is_noise(example), "{example}");
            }
            for example in &rule.counterexamples {
                assert!(!rules.is_noise(example), "ignore {} on {example}", rule.name);
            }
        }
        for rule in &file.opaque {
            let pattern = Regex::new(&rule.class).unwrap();
            for example in &rule.examples {
                assert!(pattern.is_match(example), "opaque {} on {example}", rule.name);
            }
            for example in &rule.counterexamples {
                assert!(!rules.is_opaque(example), "opaque {} on {example}", rule.name);
            }
        }
    }

    #[test]
    fn the_embedded_rules_are_not_empty() {
        assert!(!NoiseRules::embedded().masks.is_empty());
    }

    #[test]
    fn masking_leaves_the_rest_of_the_text_as_it_is() {
        let rules = NoiseRules::embedded();
        assert_eq!(rules.normalise("\"[a.Node@6d06d69c, a.Node@7f31245a]\""), "\"[a.Node@#, a.Node@#]\"");
        assert_eq!(rules.normalise("a.Main$$Lambda$14/0x0000000800c03000@1b2c3d4e"), "a.Main$$Lambda#@#");
        assert_eq!(rules.normalise("pool-3-thread-1"), "pool-#");
        assert_eq!(rules.normalise("a.Dao$MockitoMock$1834188994"), "a.Dao$MockitoMock$#");
    }

    #[test]
    fn an_ordinary_text_is_not_copied() {
        assert!(matches!(NoiseRules::embedded().normalise("\"user@example.org\""), Cow::Borrowed(_)));
    }

    #[test]
    fn an_unknown_key_in_the_rules_is_refused() {
        assert!(NoiseRules::parse("ignore = []\nopaque = []\nmask = []\nmore = 1").unwrap_err().contains("more"));
    }
}
