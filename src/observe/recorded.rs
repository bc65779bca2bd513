//! Builds a recording in a few calls, for the tests of the stages that judge recordings.

use super::{Frame, Key, Observed, Part, Property, Recording, Site, Thread};
use crate::base::id::{ExpressionId, MethodId, TestId};
use crate::observation::Packing;
use std::sync::Arc;

/// A builder of a recording. A stack belongs to the key that was added last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    recording: Recording,
    /// In the order in which they were added.
    observations: Vec<(Key, u32)>,
    states: Packing,
}

impl Recorded {
    pub(crate) fn state(mut self, key: Key, properties: impl IntoIterator<Item = Property>) -> Self {
        let mut properties: Vec<Property> = properties.into_iter().collect();
        properties.sort();
        let number = self.states.push(&properties);
        self.observations.push((key, number));
        self
    }

    pub(crate) fn stack(mut self, frames: &[Frame]) -> Self {
        self.recording.stacks.push(frames.to_vec());
        self.recording.stack_of.push((self.observations.len() as u32 - 1, self.recording.stacks.len() as u32 - 1));
        self
    }

    pub(crate) fn failed(mut self, test: u32, reason: &str) -> Self {
        self.recording.failed.push((TestId(test), reason.into()));
        self
    }

    pub(crate) fn cut(mut self, key: Key, count: u64) -> Self {
        self.recording.cut.push((key, count));
        self
    }

    /// The recording, sorted by key.
    pub(crate) fn done(&self) -> Recording {
        let states = self.states.pool().clone();
        let observations = self.observations.iter().cloned().collect();
        let mut result = Recording { states, observations, ..self.recording.clone() };
        let mut order: Vec<u32> = (0..self.observations.len() as u32).collect();
        order.sort_by_key(|index| &self.observations[*index as usize].0);
        for (observation, _) in &mut result.stack_of {
            *observation = order.iter().position(|index| index == observation).unwrap_or_default() as u32;
        }
        result.stack_of.sort_unstable();
        result
    }
}

/// One recording per run, original first.
pub(crate) fn observed(original: &[&Recorded], transformed: &[&Recorded]) -> Observed {
    let done = |runs: &[&Recorded]| runs.iter().map(|run| run.done()).collect();
    sides(done(original), done(transformed))
}

/// [`observed`], from finished recordings.
pub(crate) fn sides(original: Vec<Recording>, transformed: Vec<Recording>) -> Observed {
    let shared = |runs: Vec<Recording>| runs.into_iter().map(Arc::new).collect();
    Observed { original: shared(original), transformed: shared(transformed), ..Observed::default() }
}

/// An invocation of a method.
pub(crate) fn key(test: u32, method: u32, occurrence: u32) -> Key {
    Key { test: TestId(test), site: Site::Method(MethodId(method)), thread: Thread::default(), occurrence }
}

/// A value of an expression.
pub(crate) fn test_key(test: u32, expression: u32, occurrence: u32) -> Key {
    Key { test: TestId(test), site: Site::Expression(ExpressionId(expression)), thread: Thread::default(), occurrence }
}

pub(crate) fn property(part: Part, path: &str, type_name: &str, value: &str) -> Property {
    Property { part, path: path.into(), type_name: type_name.into(), value: value.into(), deep: false }
}

impl Property {
    pub(crate) fn deep(mut self) -> Self {
        self.deep = true;
        self
    }
}

/// `a.b.Stack` in `Stack.java`.
pub(crate) fn frame(class: &str, method: &str, line: u32) -> Frame {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let outermost = simple.split('$').next().unwrap_or(simple);
    Frame { class: class.into(), method: method.into(), file: Some(format!("{outermost}.java")), line: Some(line) }
}
