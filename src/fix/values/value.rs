//! A value: a Java expression with the statements and imports that it needs, and its cost.

use crate::fix::source::imports::NewImport;

/// Most values of one type.
pub const VALUES: usize = 250;
/// Most constructors, factories on objects, and subclasses that are tried for one class.
pub const WAYS: usize = 6;
/// The cost of a statement of its own.
pub(super) const STATEMENT_COST: usize = 4;

/// A Java expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Statements that come before: they put a new object in a variable and change it.
    pub before: Vec<String>,
    pub code: String,
    pub imports: Vec<NewImport>,
    /// Binary names of the exceptions that the called methods declare.
    pub throws: Vec<String>,
    /// The smaller, the earlier it is tried.
    pub cost: usize,
}

/// The arguments of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(pub Vec<Value>);

impl Arguments {
    #[must_use]
    pub fn cost(&self) -> usize {
        self.0.iter().map(|value| value.cost).sum()
    }

    /// The result of calling `what` with these arguments.
    #[must_use]
    pub fn called(&self, what: &str, imports: Vec<NewImport>, throws: &[String]) -> Value {
        let codes: Vec<&str> = self.0.iter().map(|value| value.code.as_str()).collect();
        let mut before: Vec<String> = Vec::new();
        for value in &self.0 {
            add_new(&mut before, &value.before);
        }
        Value {
            before,
            code: format!("{what}({})", codes.join(", ")),
            imports: self.0.iter().flat_map(|value| value.imports.iter().cloned()).chain(imports).collect(),
            throws: self.0.iter().flat_map(|value| &value.throws).chain(throws).cloned().collect(),
            cost: self.cost() + 1 + self.0.len(),
        }
    }
}

impl Value {
    /// The same value after one more statement.
    #[must_use]
    pub fn then(mut self, line: String) -> Self {
        self.before.push(line);
        self.cost += STATEMENT_COST;
        self
    }

    /// The same value after a call as one more statement.
    #[must_use]
    pub fn then_call(self, call: &Self) -> Self {
        let line = format!("{};", call.code);
        let code = self.code.clone();
        // The statements that the call needs come right before it.
        let mut before = self.before.clone();
        add_new(&mut before, &call.before);
        let mut all = self.after(&Self { before: Vec::new(), ..call.clone() });
        (all.before, all.code) = (before, code);
        all.then(line)
    }

    /// The same value with everything that another expression in it needs.
    #[must_use]
    pub fn after(mut self, other: &Self) -> Self {
        let own = std::mem::replace(&mut self.before, other.before.clone());
        add_new(&mut self.before, &own);
        self.imports.extend(other.imports.iter().cloned());
        self.throws.extend(other.throws.iter().cloned());
        self.cost += other.cost;
        self
    }
}

/// Adds the lines that are not there yet: an object that is used twice is made once.
fn add_new(lines: &mut Vec<String>, more: &[String]) {
    for line in more {
        if !lines.contains(line) {
            lines.push(line.clone());
        }
    }
}

/// Combines one choice for each parameter, up to `most` lists; first choices come first.
pub fn combined(choices: &[Vec<Arguments>], most: usize) -> Vec<Arguments> {
    let mut lists: Vec<(usize, Arguments)> = vec![(0, Arguments::default())];
    for choice in choices {
        let of_list = |(rank, list)| choice.iter().enumerate().map(move |(index, one)| (rank + index, list, one));
        let mut longer: Vec<(usize, &Arguments, &Arguments)> =
            lists.iter().map(|(rank, list)| (*rank, list)).flat_map(of_list).collect();
        longer.sort_by_key(|(rank, ..)| *rank);
        longer.truncate(most);
        let joined =
            |(rank, list, one): (usize, &Arguments, &Arguments)| (rank, Arguments([&*list.0, &one.0].concat()));
        lists = longer.into_iter().map(joined).collect();
    }
    lists.into_iter().map(|(_, list)| list).collect()
}
