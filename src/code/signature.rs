//! The name of a method in class files, and its forms for people.

use crate::classfile::names::Member;
use crate::text::words;

/// A method, as class files name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    /// Binary name of the declaring class.
    pub class: String,
    pub name: String,
    /// Method descriptor (JVMS §4.3.3).
    pub descriptor: String,
    pub is_static: bool,
}

impl Signature {
    /// The method as the instructions that call it name it.
    #[must_use]
    pub fn member(&self) -> Member {
        Member { owner: self.class.clone(), name: self.name.clone(), descriptor: self.descriptor.clone() }
    }

    /// `Stack.push(int)`
    #[must_use]
    pub fn short(&self) -> String {
        words::short_method(&self.class, &self.name, &self.descriptor)
    }

    /// `org.example.Stack.push(int)`
    #[must_use]
    pub fn full(&self) -> String {
        words::full_method(&self.class, &self.name, &self.descriptor)
    }
}
