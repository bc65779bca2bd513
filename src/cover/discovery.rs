//! Finds the tests that surefire would run.

use crate::base::error::Result;
use crate::jvm::client::Launch;
use crate::jvm::protocol::FoundTest;
use crate::recipe::Recipe;
use crate::run::Session;
use std::sync::Arc;

/// Finds the tests of these classes that surefire would run: the recipe's groups and selected methods apply. The JVM of
/// the session has loaded nothing else.
///
/// # Errors
/// When no JVM can be started, or the engine fails.
pub fn find(recipe: &Recipe, launch: &Launch, classes: &[String]) -> Result<(Session, Vec<FoundTest>)> {
    let filter = &recipe.filter;
    let mut session = Session::new(Arc::new(launch.clone()));
    let mut found = session.discover(classes, filter.groups.as_deref(), filter.excluded_groups.as_deref())?;
    let selection = filter.selection()?;
    found.retain(|test| selection.takes_test(&test.class, &test.name));
    Ok((session, found))
}
