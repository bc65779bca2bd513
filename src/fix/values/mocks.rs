//! Mocks of a class (Mockito): a silent one, and others that answer the questions of the method
//! under test.

use crate::classfile::names::Member;
use crate::classfile::outline::FINAL;
use crate::fix::source::imports::NewImport;
use crate::fix::values::catalog::Values;
use crate::fix::values::value::Value;
use crate::text::words;

/// The cost of a mock if there is no other value; twice that if there is.
const MOCK_COST: usize = 6;
/// The cost of each answer.
const ANSWER_COST: usize = 4;
/// Most methods of a mock that get an answer, and most answers of each.
const ASKED: usize = 4;
const ANSWERS: usize = 4;

impl Values<'_> {
    /// Mocks of the class, if the tests have Mockito: of a class with no other value (`is_last`),
    /// or of a class of the project.
    pub(super) fn mocks(&self, class: &str, is_last: bool, depth: usize) -> Vec<Value> {
        let own = self.outlines.class(class);
        let is_open =
            own.is_none_or(|own| own.access & FINAL == 0 && own.super_name.as_deref() != Some("java.lang.Enum"));
        if !self.usual.mocks || !class.contains('.') || !is_open || !(is_last || own.is_some()) {
            return Vec::new();
        }
        let (written, mut imports) = self.written(class);
        imports.push(mockito("mock"));
        let cost = if is_last { MOCK_COST } else { 2 * MOCK_COST };
        let silent = Value { code: format!("mock({written}.class)"), imports, cost, ..Value::default() };
        let answering = self.answering(class, &silent, depth);
        std::iter::once(silent).chain(answering).collect()
    }

    /// The mock in a variable, with one or two answers.
    fn answering(&self, class: &str, silent: &Value, depth: usize) -> Vec<Value> {
        let is_of_class = |method: &&Member| method.owner == class || self.outlines.is_a(class, &method.owner);
        let asked: Vec<&Member> = self.asked.iter().filter(is_of_class).take(ASKED).collect();
        // Answers may be mocks themselves.
        let Some(depth) = depth.checked_sub(1).filter(|_| !asked.is_empty()) else { return Vec::new() };
        let (variable, made) = self.in_variable(class, silent);
        let answers: Vec<Vec<Value>> = asked.iter().map(|method| self.answers(&variable, method, depth)).collect();
        let mut found = Vec::new();
        for (index, of_method) in answers.iter().enumerate() {
            for (rank, one) in of_method.iter().enumerate() {
                let with_one = made.clone().then_answer(one);
                // Of two answers, one is the first of its method.
                let most = if rank == 0 { ANSWERS } else { 1 };
                let others = answers.iter().skip(index + 1).flat_map(|others| others.iter().take(most));
                found.extend(others.map(|other| with_one.clone().then_answer(other)));
                found.push(with_one);
            }
        }
        found
    }

    /// Statements such as `when(ledger.name()).thenReturn("a")`, for the first values that a mock
    /// would not give anyway.
    fn answers(&self, variable: &str, method: &Member, depth: usize) -> Vec<Value> {
        let (parameters, returned) = words::types(&method.descriptor);
        let outline = self.outlines.method(method);
        let throws = outline.map_or(&[][..], |outline| outline.throws.as_slice());
        let matchers: Vec<String> = parameters.iter().map(|parameter| matcher(parameter)).collect();
        let mut imports = vec![mockito("when")];
        imports.extend(matchers.iter().map(|matcher| mockito(matcher.trim_end_matches("()"))));
        let call = format!("{variable}.{}({})", method.name, matchers.join(", "));
        let mut values = self.of(&returned, depth).to_vec();
        // An empty text says little more than nothing.
        values.sort_by_key(|value| value.code == "\"\"");
        let is_new =
            |value: &&Value| value.before.is_empty() && !is_silent(&value.code) && !value.code.contains("mock(");
        let answer = |(index, value): (usize, &Value)| Value {
            code: format!("when({call}).thenReturn({});", value.code),
            imports: imports.iter().chain(&value.imports).cloned().collect(),
            throws: throws.iter().chain(&value.throws).cloned().collect(),
            cost: ANSWER_COST + index,
            ..Value::default()
        };
        values.iter().filter(is_new).take(ANSWERS).enumerate().map(answer).collect()
    }
}

impl Value {
    /// The same mock after a statement that gives it an answer.
    fn then_answer(mut self, answer: &Self) -> Self {
        self.before.push(answer.code.clone());
        self.imports.extend(answer.imports.iter().cloned());
        self.throws.extend(answer.throws.iter().cloned());
        self.cost += answer.cost;
        self
    }
}

fn mockito(member: &str) -> NewImport {
    NewImport { is_static: true, name: format!("org.mockito.Mockito.{member}") }
}

/// The matcher for any argument of this type. Primitive types have their own.
fn matcher(parameter: &str) -> String {
    let is_primitive = !parameter.contains('.') && !parameter.ends_with("[]");
    let mut letters = parameter.chars();
    match letters.next().filter(|_| is_primitive) {
        Some(first) => format!("any{}{}()", first.to_uppercase(), letters.as_str()),
        None => "any()".to_owned(),
    }
}

/// Whether a mock gives this value if nobody told it anything.
fn is_silent(code: &str) -> bool {
    let number = code.trim_end_matches(['L', 'f', 'd']);
    matches!(code, "null" | "false") || code.ends_with(" 0") || number.parse::<f64>().is_ok_and(|number| number == 0.0)
}
