//! The test sources that were read, by number, and the style of each of their test classes.

use crate::fix::source::style::Style;
use crate::fix::source::test_source::{TestMethod, TestSource};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// A test method: the number of its source, and the position of the method in that source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub source: usize,
    pub position: usize,
}

/// Test sources, numbered in the order in which they were read.
#[derive(Default)]
pub struct TestSources {
    all: Vec<TestSource>,
    /// Reading a style counts words in the whole source, and each style is needed many times.
    styles: RefCell<BTreeMap<Place, Style>>,
}

impl TestSources {
    pub fn get(&self, number: usize) -> Option<&TestSource> {
        self.all.get(number)
    }

    pub fn iter(&self) -> impl Iterator<Item = &TestSource> {
        self.all.iter()
    }

    /// The source and the method at this place.
    pub fn method(&self, place: Place) -> Option<(&TestSource, &TestMethod)> {
        let source = self.get(place.source)?;
        Some((source, source.methods.get(place.position)?))
    }

    /// The number of the source with this path.
    pub fn number_of(&self, path: &Path) -> Option<usize> {
        self.all.iter().position(|source| source.path == path)
    }

    /// Adds a source and returns its number.
    pub fn add(&mut self, source: TestSource) -> usize {
        self.all.push(source);
        self.all.len() - 1
    }

    /// The style of the test class that has the method at this place.
    pub fn style(&self, place: Place) -> Option<Style> {
        let (source, method) = self.method(place)?;
        let mut styles = self.styles.borrow_mut();
        Some(styles.entry(place).or_insert_with(|| Style::of(source, method)).clone())
    }
}

impl From<Vec<TestSource>> for TestSources {
    fn from(all: Vec<TestSource>) -> Self {
        Self { all, ..Self::default() }
    }
}
