//! The bounds of a state: how much of the objects behind one observation is read. Beyond them, a digest stands for
//! everything, as far as its own bounds go.

/// The most steps from the root of a state to a property.
pub const DEPTH: usize = 5;
/// The most elements of an array or container that are properties of their own.
pub const BREADTH: usize = 16;
/// The most properties of one part of a state.
pub const PROPERTIES: usize = 120;
/// The most elements of a container that are written as one value: `List.of("a", "b")`.
pub const WRITTEN_ELEMENTS: usize = 10;
/// The longest value that is written as Java source, in bytes, apart from texts.
pub const WRITTEN_LENGTH: usize = 300;
/// The most steps from an object of the platform without a description to its fields.
pub const PLATFORM_DEPTH: usize = 2;
/// The most steps from the root of a state to what its digests cover.
pub const DIGEST_DEPTH: usize = 12;
/// The most values that the containers and digests of one observation cover.
pub const DIGEST_VALUES: usize = 300;
/// The same for the static fields of a class, which often hold large tables.
pub const STATIC_VALUES: usize = 40;
/// The most entries of one container that are read.
pub const ENTRIES: usize = 300;
/// The most entries of a set or map whose keys are written, so that each is a property of its own.
pub const WRITTEN_KEYS: usize = 64;
/// The most elements of one array of primitives that are read.
pub const PRIMITIVES: usize = 1 << 16;
