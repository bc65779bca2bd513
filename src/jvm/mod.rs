//! (to be written)

pub mod driver_sources;
pub mod test_classes;
