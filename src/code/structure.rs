//! The questions that suggestions ask about the structure of a project: access to methods, readers
//! of fields, and callers.

use super::signature::Signature;

/// A source of values that differ each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chance {
    Random,
    Clock,
}

/// The place at which the program uses a source of chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChanceUse {
    pub chance: Chance,
    /// Binary name of the class that uses it.
    pub class: String,
    /// Whether a test can pass it in: a method or constructor of the class takes it.
    pub is_handed: bool,
}

/// The classes of the project, as far as suggestions need them. `package` is always that of the
/// test class that would make the call.
pub trait Structure {
    /// Whether Java code in `package` may call the method, according to the access of the method
    /// and of the classes around it.
    fn is_accessible(&self, method: &Signature, package: &str) -> bool;

    /// The class, or its nearest superclass that Java code in `package` can name. Classes outside of
    /// the project count as public.
    fn nameable(&self, class: &str, package: &str) -> String;

    /// Accessible methods that directly read `field` of an object of class `owner`, which declares
    /// or inherits it. Simplest first: fewest parameters, then by name. Empty if there is no such
    /// field.
    fn accessors_of(&self, owner: &str, field: &str, package: &str) -> Vec<Signature>;

    /// Names of the fields that the method itself reads.
    fn fields_read_by(&self, method: &Signature) -> Vec<String>;

    /// Chains of calls from an accessible method (first) to `method` (last), shortest first, up to
    /// a limit. The method alone is not a chain.
    fn callers_of(&self, method: &Signature, package: &str) -> Vec<Vec<Signature>>;

    /// The nearest place at which the method, or a method that it calls, uses random numbers or the
    /// time.
    fn chance_in(&self, method: &Signature) -> Option<ChanceUse>;
}
