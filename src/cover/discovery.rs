//! Finds the tests that surefire would run.

use crate::base::error::Result;
use crate::jvm::client::Launch;
use crate::jvm::protocol::FoundTest;
use crate::recipe::Recipe;
use crate::run::Pool;
use std::sync::Arc;

/// Finds the tests of these classes that surefire would run: the recipe's groups and selected methods apply. The first
/// JVM of the pool finds them.
///
/// # Errors
/// When no JVM can be started, or the engine fails.
pub fn find(pool: &Pool, recipe: &Recipe, launch: &Arc<Launch>, classes: &[String]) -> Result<Vec<FoundTest>> {
    let filter = &recipe.filter;
    let (groups, excluded) = (filter.groups.as_deref(), filter.excluded_groups.as_deref());
    let mut found = pool.run_in(0, launch, |session| session.discover(classes, groups, excluded))?;
    let selection = filter.selection()?;
    found.retain(|test| selection.takes_test(&test.class, &test.name));
    Ok(found)
}
