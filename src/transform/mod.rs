//! Turns class files into the list of extreme transformations, without the stop methods.

mod annotation;
mod body;
mod bootstraps;
mod candidate;
mod initializer;
mod list;
pub mod operators;
pub mod plan;
mod selection;
pub mod stop;
#[cfg(test)]
mod tests;

pub use crate::classfile::Constant;
pub use list::list;
pub use selection::Selection;

use crate::base::id::{IdVec, MethodId, ModuleId, TransformationId, TransformationKey};
use crate::classfile::outline::{PRIVATE, STATIC};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A method of the project, as the reports name it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Method {
    /// Binary name: `org.example.Stack$Node`.
    pub class: String,
    pub name: String,
    /// Method descriptor (JVMS §4.3.3): `(I)Ljava/lang/String;`.
    pub descriptor: String,
    /// Access flags (JVMS table 4.6-A).
    pub access: u16,
    /// `SourceFile` attribute of the class: `Stack.java`.
    pub source_file: Option<String>,
    /// First line of the body, from `LineNumberTable`.
    pub line: Option<u32>,
    /// The module that the class belongs to.
    pub module: ModuleId,
}

impl Method {
    /// Whether the method can implement or override one of another type: it is neither private nor static, nor a
    /// constructor.
    #[must_use]
    pub fn is_virtual(&self) -> bool {
        self.access & (PRIVATE | STATIC) == 0 && !self.name.starts_with('<')
    }
}

/// One extreme transformation: the whole body of `method` is replaced by returning `constant`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Transformation {
    pub method: MethodId,
    /// Descartes' name: `void`, `null`, `true`, `0`, `1L`, `'\40'`, `"A"`, `empty` …
    pub name: String,
    pub constant: Constant,
}

impl Transformation {
    /// The key by which a later analysis recognizes it.
    #[must_use]
    pub fn key(&self) -> TransformationKey {
        TransformationKey::new(self.method, &self.name)
    }
}

/// A method that is not transformed, and the rule that stopped it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Stopped {
    pub method: Method,
    /// Name of the file in `rules/stop-methods`, without ending.
    pub rule: String,
}

/// The result of this stage, sorted by class, module, method, descriptor, and the order of
/// `rules/transformations.toml`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Transformations {
    /// The methods with at least one transformation. A restricted list ([`Self::only`]) also keeps
    /// the methods that it leaves out.
    pub methods: IdVec<MethodId, Method>,
    pub transformations: IdVec<TransformationId, Transformation>,
    pub stopped: Vec<Stopped>,
    /// The methods that cannot be woven, each with the reason. Their transformations are listed, and
    /// cannot be run.
    #[serde(default)]
    pub unweavable: BTreeMap<MethodId, String>,
}

impl Transformations {
    /// Keeps the transformations of these methods, and these of the stopped methods. Methods keep
    /// their numbers.
    #[must_use]
    pub fn only(&self, methods: &BTreeSet<MethodId>, stopped: &BTreeSet<usize>) -> Self {
        let taken = |transformation: &&Transformation| methods.contains(&transformation.method);
        Self {
            methods: self.methods.clone(),
            transformations: self.transformations.iter().filter(taken).cloned().collect(),
            stopped: stopped.iter().filter_map(|index| self.stopped.get(*index)).cloned().collect(),
            unweavable: self.unweavable.clone(),
        }
    }

    /// Only these transformations. Methods keep their numbers.
    #[must_use]
    pub fn these(&self, transformations: &[TransformationId]) -> Self {
        let taken = transformations.iter().filter_map(|index| self.transformations.get(*index));
        Self { transformations: taken.cloned().collect(), ..self.clone() }
    }

    /// Returns part `number` of `of` parts with about equally many transformations each; part 1 has
    /// the first methods. Methods keep their numbers, and every part has all stopped methods.
    #[must_use]
    pub fn part(&self, number: usize, of: usize) -> Self {
        let total = self.transformations.len().max(1);
        let mut part = Vec::new();
        let mut current: Option<(MethodId, TransformationId)> = None;
        for (id, transformation) in self.transformations.iter_enumerated() {
            // The first transformation of a method decides for all of them.
            let first = match current {
                Some((method, first)) if method == transformation.method => first,
                _ => id,
            };
            current = Some((transformation.method, first));
            if first.index() * of / total + 1 == number {
                part.push(id);
            }
        }
        self.these(&part)
    }

    /// Number of methods that have a transformation.
    #[must_use]
    pub fn transformed_methods(&self) -> usize {
        self.transformations.iter().map(|transformation| transformation.method).collect::<BTreeSet<_>>().len()
    }

    /// `org.example.Stack.isEmpty()Z/true`
    #[must_use]
    pub fn id(&self, transformation: &Transformation) -> String {
        let method = &self.methods[transformation.method];
        format!("{}.{}{}/{}", method.class, method.name, method.descriptor, transformation.name)
    }
}
