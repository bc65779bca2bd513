//! The values at the ends of paths in a state: primitives, strings, sizes, and whether a reference is null.

use super::environment::values::Primitive;
use super::source::{primitive_source, text_source};
use foldhash::quality::FoldHasher;
use std::hash::Hash;

/// An observed value without parts.
pub enum Atom<'a> {
    Null,
    NonNull,
    /// A string, as UTF-16 units.
    Text(&'a [u16]),
    Primitive(Primitive),
    Size(i64),
    /// Java source.
    Source(&'a str),
}

impl Atom<'_> {
    pub fn hash_into(&self, hasher: &mut FoldHasher<'_>) {
        match self {
            Atom::Null => 0_u8.hash(hasher),
            Atom::NonNull => 1_u8.hash(hasher),
            Atom::Text(units) => units.hash(hasher),
            Atom::Size(size) => size.hash(hasher),
            Atom::Source(source) => source.hash(hasher),
            Atom::Primitive(primitive) => match primitive {
                Primitive::Boolean(value) => value.hash(hasher),
                Primitive::Char(value) => value.hash(hasher),
                Primitive::Int(value) => value.hash(hasher),
                Primitive::Long(value) => value.hash(hasher),
                Primitive::Float(value) => value.to_bits().hash(hasher),
                Primitive::Double(value) => value.to_bits().hash(hasher),
            },
        }
    }

    /// The value as Java source, or `non-null`.
    pub fn source(&self) -> String {
        match self {
            Atom::Null => "null".to_owned(),
            Atom::NonNull => "non-null".to_owned(),
            Atom::Text(units) => text_source(units),
            Atom::Size(size) => size.to_string(),
            Atom::Source(source) => (*source).to_owned(),
            Atom::Primitive(primitive) => primitive_source(*primitive),
        }
    }
}
