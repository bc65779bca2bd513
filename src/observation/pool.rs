//! A compact representation of many states: each text is stored once, and a property takes 20
//! bytes.

use super::{Part, Property};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};

/// A [`Property`] whose texts are numbers in a [`Pool`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, Hash)]
pub struct Packed {
    pub part: Part,
    pub path: u32,
    pub type_name: u32,
    pub value: u32,
    pub deep: bool,
}

/// States, each of which is a sorted list of properties.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Pool {
    texts: Vec<String>,
    properties: Vec<Packed>,
    /// The end of each state in `properties`.
    ends: Vec<u32>,
    /// The length of all texts, in bytes.
    text_length: usize,
}

impl Pool {
    /// The number of states.
    #[must_use]
    pub fn count(&self) -> u32 {
        count(self.ends.len())
    }

    /// The size in memory, in units of about 20 bytes, which is a property or that much text.
    #[must_use]
    pub fn size(&self) -> usize {
        self.properties.len() + self.text_length / size_of::<Packed>()
    }

    #[must_use]
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    #[must_use]
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }

    /// The properties of the state with this number; none if there is no such state.
    #[must_use]
    pub fn packed(&self, state: u32) -> &[Packed] {
        let end = |index: Option<u32>| index.and_then(|index| self.ends.get(index as usize)).map(|end| *end as usize);
        let first = end(state.checked_sub(1)).unwrap_or(0);
        end(Some(state)).and_then(|end| self.properties.get(first..end)).unwrap_or_default()
    }

    /// The part and path of a property, which identify it within a state.
    #[must_use]
    pub fn slot(&self, packed: &Packed) -> (Part, &str) {
        (packed.part, self.text(packed.path))
    }

    #[must_use]
    pub fn unpacked(&self, packed: Packed) -> Property {
        Property {
            part: packed.part,
            path: self.text(packed.path).to_owned(),
            type_name: self.text(packed.type_name).to_owned(),
            value: self.text(packed.value).to_owned(),
            deep: packed.deep,
        }
    }

    /// The properties of a state.
    #[cfg(test)]
    pub(crate) fn state(&self, state: u32) -> impl Iterator<Item = Property> {
        self.packed(state).iter().map(|packed| self.unpacked(*packed))
    }

    /// Adds all states of another pool after the own ones.
    pub(super) fn append(&mut self, other: Self) {
        let (texts, properties) = (count(self.texts.len()), count(self.properties.len()));
        let moved = |packed: Packed| Packed {
            path: packed.path + texts,
            type_name: packed.type_name + texts,
            value: packed.value + texts,
            ..packed
        };
        self.properties.extend(other.properties.into_iter().map(moved));
        self.ends.extend(other.ends.into_iter().map(|end| properties + end));
        self.text_length += other.text_length;
        self.texts.extend(other.texts);
    }
}

/// A builder of a [`Pool`].
#[derive(Clone, Debug, Default)]
pub struct Packing {
    pool: Pool,
    /// The numbers of texts.
    texts: HashMap<String, u32>,
}

impl Packing {
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Adds a state, even if an equal one exists, and returns its number.
    pub fn push(&mut self, properties: &[Property]) -> u32 {
        let packed: Vec<Packed> = properties.iter().map(|property| self.pack(property)).collect();
        self.push_packed(&packed)
    }

    pub fn push_packed(&mut self, properties: &[Packed]) -> u32 {
        self.pool.properties.extend(properties);
        self.pool.ends.push(count(self.pool.properties.len()));
        self.pool.count() - 1
    }

    pub fn pack(&mut self, property: &Property) -> Packed {
        Packed {
            part: property.part,
            path: self.text(&property.path),
            type_name: self.text(&property.type_name),
            value: self.text(&property.value),
            deep: property.deep,
        }
    }

    #[must_use]
    pub fn take(&mut self) -> Pool {
        self.texts.clear();
        std::mem::take(&mut self.pool)
    }

    fn text(&mut self, text: &str) -> u32 {
        if let Some(number) = self.texts.get(text) {
            return *number;
        }
        let number = count(self.pool.texts.len());
        self.pool.text_length += text.len();
        self.pool.texts.push(text.to_owned());
        self.texts.insert(text.to_owned(), number);
        number
    }
}

pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
