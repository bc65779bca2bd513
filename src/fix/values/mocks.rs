//! From a class to mocks of it (Mockito): one that answers with nothing, and others that answer what the method under test asks them.

use super::{Value, Values};
use crate::classfile::names::Member;
use crate::classfile::outline::FINAL;
use crate::fix::source::style::Needed;
use crate::fix::techniques::Subject;
use crate::text::words;
use std::collections::BTreeSet;

/// What a mock costs where there is nothing else; twice that where there is.
const MOCK_COST: usize = 6;
/// What it costs that it answers.
const ANSWER_COST: usize = 4;
/// Most methods of a mock that get an answer, and most answers of each.
const ASKED: usize = 4;
const ANSWERS: usize = 4;
/// Into so many calls below the method.
const LEVELS: usize = 6;

/// The methods with a result that the method, and those through which a test reaches it, call, themselves or through what they call: nearest first.
pub(super) fn asked(subject: &Subject<'_>, package: &str) -> Vec<Member> {
    let own = subject.method.member();
    let mut methods = vec![own.clone()];
    methods.extend(subject.callable(package).iter().map(|caller| caller.member()).filter(|caller| *caller != own));
    let called = subject.outlines.called_from(&methods, LEVELS);
    let mut known = BTreeSet::new();
    let calls = called.iter().flat_map(|(_, outline)| &outline.calls);
    let asks = calls.filter(|call| call.dispatched && !call.to.descriptor.ends_with(")V") && known.insert(&call.to));
    asks.map(|call| call.to.clone()).collect()
}

impl Values<'_> {
    /// Mocks of the class, where the tests have Mockito: of what nothing else gives (`is_last`), or what a class of the project may call.
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

    /// The mock in a variable, with an answer to one of the methods that it is asked, or to two.
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
                // Of two, one is the first that it may be.
                let most = if rank == 0 { ANSWERS } else { 1 };
                let others = answers.iter().skip(index + 1).flat_map(|others| others.iter().take(most));
                found.extend(others.map(|other| with_one.clone().then_answer(other)));
                found.push(with_one);
            }
        }
        found
    }

    /// `when(ledger.name()).thenReturn("a")`, for the first values that are no answers already.
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
    /// The same mock, after a statement that makes it answer.
    fn then_answer(mut self, answer: &Self) -> Self {
        self.before.push(answer.code.clone());
        self.imports.extend(answer.imports.iter().cloned());
        self.throws.extend(answer.throws.iter().cloned());
        self.cost += answer.cost;
        self
    }
}

fn mockito(member: &str) -> Needed {
    Needed { is_static: true, name: format!("org.mockito.Mockito.{member}") }
}

/// What stands for any argument of this type: primitive ones want their own.
fn matcher(parameter: &str) -> String {
    let is_primitive = !parameter.contains('.') && !parameter.ends_with("[]");
    let mut letters = parameter.chars();
    match letters.next().filter(|_| is_primitive) {
        Some(first) => format!("any{}{}()", first.to_uppercase(), letters.as_str()),
        None => "any()".to_owned(),
    }
}

/// Whether a mock answers so without being told.
fn is_silent(code: &str) -> bool {
    let number = code.trim_end_matches(['L', 'f', 'd']);
    matches!(code, "null" | "false") || code.ends_with(" 0") || number.parse::<f64>().is_ok_and(|number| number == 0.0)
}
