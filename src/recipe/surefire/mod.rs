//! Surefire's parameters become a recipe: the class path, system properties, filter and order that
//! surefire itself would use.

mod class_path;
mod module_path;
mod recipe;
mod selection;
mod system_properties;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod testing;

pub(super) use recipe::{existing, recipe};
