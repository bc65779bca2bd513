//! What the suggestions need to know of the class files: who may call a method, who reads a field, who calls a method.

use crate::classfile::names::Member;
use crate::text::words;

/// A method, as class files name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    /// Binary name of the declaring class.
    pub class: String,
    pub name: String,
    /// JVMS §4.3.3.
    pub descriptor: String,
    pub is_static: bool,
}

impl Signature {
    /// As the instructions that call it name it.
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

/// What gives something else each time it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chance {
    Random,
    Clock,
}

/// Where the program asks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub chance: Chance,
    /// Binary name of the class that asks.
    pub class: String,
    /// A test can hand it in: a method or constructor of the class takes it.
    pub is_handed: bool,
}

/// The classes of the project, as far as suggestions look at them. `package` is always that of the test class that would make the call.
pub trait Structure {
    /// Whether Java code in `package` may call the method: by the access of the method and of the classes around it.
    fn is_accessible(&self, method: &Signature, package: &str) -> bool;

    /// Accessible methods that read `field` of an object of class `owner` (declared there or inherited) directly, simplest first: fewest
    /// parameters, then by name. Empty when there is no such field.
    fn accessors_of(&self, owner: &str, field: &str, package: &str) -> Vec<Signature>;

    /// Fields that the method itself reads, by name.
    fn fields_read_by(&self, method: &Signature) -> Vec<String>;

    /// Chains of calls from an accessible method (first) to `method` (last), shortest first; bounded. The method alone is no chain.
    fn callers_of(&self, method: &Signature, package: &str) -> Vec<Vec<Signature>>;

    /// The nearest place at which the method asks for a random number or the time, itself or through what it calls.
    fn chance_in(&self, method: &Signature) -> Option<Asked>;
}
