//! Finds the tests that surefire would run.

use crate::base::error::{Error, Result};
use crate::base::interrupt;
use crate::jvm::client::Launch;
use crate::jvm::protocol::FoundTest;
use crate::recipe::{Recipe, TestLoader, loaders, with_loader};
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

/// Finds the tests in the first class loader in which the engine finds them, as an analysis would.
///
/// # Errors
/// As [`find`], in the first of the loaders.
pub fn find_with_any_loader(
    pool: &Pool,
    recipe: &Recipe,
    launch: &Launch,
    classes: &[String],
) -> Result<(TestLoader, Vec<FoundTest>)> {
    let mut first_error = None;
    for loader in loaders(recipe) {
        match find(pool, recipe, &Arc::new(with_loader(launch, recipe, loader)?), classes) {
            Ok(found) => return Ok((loader, found)),
            Err(error) if interrupt::ends_run(&error) => return Err(error),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| Error::bug("No class loader was tried.")))
}
