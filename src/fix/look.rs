//! Looks: expressions to evaluate in a test, with the statements that they need.

use crate::fix::source::imports::NewImport;

/// The expression for a call that returns nothing. It shows that the call ends normally.
pub const ENDS: &str = "true";

/// An expression to evaluate on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Statements that create what the expression needs.
    pub before: Vec<String>,
    /// A statement that acts before the expression is evaluated.
    pub act: Option<String>,
    pub expression: String,
    pub about: About,
    pub when: When,
    /// Whether evaluating the expression changes nothing, according to the class files.
    pub is_pure: bool,
    pub imports: Vec<NewImport>,
    /// Binary names of the exceptions that the called methods declare.
    pub throws: Vec<String>,
    /// The smaller, the earlier it is tried.
    pub rank: usize,
}

/// The subject of a test, for its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// The result of a call: name of the method.
    Result { method: String },
    /// That a call gives the same object each time: name of the method.
    Same { method: String },
    /// The calls that a mock gets, and the method that makes them; the mock itself if the method is
    /// unknown.
    MockCalls { mock: String, by: String },
    /// The text that a method prints.
    Printed { by: String },
    /// That two objects are not equal: words for both.
    Equality { one: String, other: String },
}

/// The circumstances of a test, for its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    /// On an object on which nothing was called: name of its class.
    New(String),
    /// After a call of the method with this name.
    After(String),
    /// With these arguments, as Java source.
    For(Vec<String>),
}

impl Look {
    /// A look at the result of a method without parameters that changes nothing.
    pub(in crate::fix) fn accessor(on: &str, method: &str, rank: usize) -> Self {
        Self::of(format!("{on}.{method}()"), method, rank)
    }

    /// A look at an expression that needs nothing and changes nothing. Its value comes from this
    /// method.
    pub(in crate::fix) fn of(expression: String, method: &str, rank: usize) -> Self {
        Self {
            before: Vec::new(),
            act: None,
            expression,
            about: About::Result { method: method.to_owned() },
            when: When::Always,
            is_pure: true,
            imports: Vec::new(),
            throws: Vec::new(),
            rank,
        }
    }

    /// Whether the look only shows that its statement ends normally.
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.act.is_some() && self.expression == ENDS
    }

    /// The statement that acts or, if there is none, the expression as a statement.
    #[must_use]
    pub fn statements(&self) -> String {
        self.act.clone().unwrap_or_else(|| format!("{};", self.expression))
    }

    /// The statement that is executed last, without its semicolon.
    #[must_use]
    pub fn executed(&self) -> &str {
        let last = self.act.as_deref().and_then(|act| act.lines().last());
        last.map_or(self.expression.as_str(), |line| line.trim_end_matches(';'))
    }

    /// The whole look as code. Looks with the same code are equal.
    #[must_use]
    pub fn code(&self) -> String {
        let lines = self.before.iter().map(String::as_str).chain(self.act.as_deref());
        lines.chain([self.expression.as_str()]).collect::<Vec<&str>>().join("\n")
    }
}
