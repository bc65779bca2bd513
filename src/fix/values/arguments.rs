//! Lists of arguments for a call.

use crate::classfile::outline::{ClassOutline, MethodOutline};
use crate::fix::values::catalog::Values;
use crate::fix::values::value::{Arguments, Value, combined};
use crate::text::words;

/// Most values of a variable-arity parameter, each of them once and twice.
const VARIABLE: usize = 6;

impl Values<'_> {
    /// Positions of the parameters for which an overload has another type, so that a bare `null` is
    /// ambiguous.
    #[must_use]
    pub fn overloads(&self, class: &ClassOutline, method: &MethodOutline) -> Vec<usize> {
        let (own, _) = words::types(&method.descriptor);
        let others = class.methods.iter().filter(|other| {
            other.name == method.name && other.parameters == method.parameters && other.descriptor != method.descriptor
        });
        let mut found = Vec::new();
        for other in others {
            let (theirs, _) = words::types(&other.descriptor);
            found.extend(
                own.iter().zip(&theirs).enumerate().filter(|(_, (one, two))| one != two).map(|(index, _)| index),
            );
        }
        found
    }

    /// Lists of arguments, cheapest first.
    #[must_use]
    pub fn lists(
        &self,
        parameters: &[String],
        is_varargs: bool,
        depth: usize,
        most: usize,
        overloaded: &[usize],
    ) -> Vec<Arguments> {
        let last = parameters.len().wrapping_sub(1);
        let mut choices: Vec<Vec<Arguments>> = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let element = parameter.strip_suffix("[]").filter(|_| is_varargs && index == last);
            choices.push(match element {
                Some(element) => {
                    let values = self.of(element, depth);
                    let mut lists: Vec<Arguments> = Vec::new();
                    for value in values.iter().filter(|one| one.code != "null").take(VARIABLE) {
                        let one = Arguments(vec![value.clone()]);
                        let two = Arguments(vec![value.clone(), Value { cost: value.cost + 1, ..value.clone() }]);
                        lists.extend([one, two]);
                    }
                    lists.insert(lists.len().min(1), Arguments::default());
                    lists
                }
                None => {
                    let values = self.of(parameter, depth);
                    let typed = |value: &Value| {
                        if value.code == "null" && overloaded.contains(&index) {
                            let (written, imports) = self.written(parameter.trim_end_matches("[]"));
                            let brackets = "[]".repeat(parameter.matches("[]").count());
                            Value { code: format!("({written}{brackets}) null"), imports, ..value.clone() }
                        } else {
                            value.clone()
                        }
                    };
                    values.iter().map(|value| Arguments(vec![typed(value)])).collect()
                }
            });
        }
        combined(&choices, most)
    }
}
