//! Java expressions that follow the path of a difference from an object to the value.

use crate::classfile::outlines::Outlines;
use crate::code::java_text::outside_literals;
use crate::fix::look::Look;
use crate::fix::source::imports::NewImport;
use crate::fix::techniques::readers::accessors;
use crate::observation::kinds::{ContainerForm, Kinds, ValueKind};
use crate::observation::{is_call, is_text_builder};
use crate::text::words;

/// Most methods that are tried for one field of the path.
const ACCESSORS: usize = 3;
/// Most elements of a range that are looked at.
const ELEMENTS: usize = 16;
/// Most classes that are tried for an object whose static type says too little.
const CLASSES: usize = 2;
/// Most fields of the path.
const FIELDS: usize = 3;
/// The rank of the number of elements, which says less than the elements.
const COUNT: usize = 2;
/// The rank of an expression with a cast.
const CAST: usize = 3;
/// The rank of a text in place of the value.
const TEXT: usize = 6;

/// A Java expression on the way along a path.
#[derive(Clone)]
struct Stop {
    code: String,
    /// Binary name of the class of its value, if it is known.
    class: Option<String>,
    /// Whether the static type may be another one, because the class is that of the value at run time.
    is_hidden: bool,
    imports: Vec<NewImport>,
    /// Binary names of the checked exceptions of its calls.
    throws: Vec<String>,
    rank: usize,
    /// The method of the project that gives the value, or the object that has it.
    method: String,
    /// Whether it has to be in parentheses before a further call.
    is_cast: bool,
}

/// A difference, and where its path begins.
pub struct Path<'a> {
    /// The expression of the object.
    pub expression: &'a str,
    /// The class of the object (binary name).
    pub class: Option<&'a str>,
    pub path: &'a str,
    /// The class of the value at the end (binary name), and the value.
    pub type_name: &'a str,
    pub value: &'a str,
}

impl Path<'_> {
    /// Looks at the value, nearest first. A class that the static type of an expression may hide is
    /// named by a cast: what does not compile is dropped when it is tried.
    pub fn looks(&self, outlines: &Outlines, kinds: &Kinds, package: &str) -> Vec<Look> {
        let start = Stop {
            code: self.expression.to_owned(),
            class: self.class.map(str::to_owned),
            is_hidden: self.expression.contains('('),
            imports: Vec::new(),
            throws: Vec::new(),
            rank: 0,
            method: method_name(self.expression).to_owned(),
            is_cast: false,
        };
        let whole_array = self.class.filter(|class| self.path.starts_with('[') && class.ends_with("[]"));
        let mut found = whole_array
            .map_or_else(Vec::new, |class| Self { path: "", type_name: class, ..*self }.at_end(&start, kinds));
        let mut stops = vec![start];
        let mut rest = self.path;
        let mut fields = 0;
        while !rest.is_empty() {
            let (step, after) = first_step(rest);
            if step.starts_with('.') && !step.contains('(') && !is_builtin(step) {
                found.extend(stops.iter().filter(|stop| stop.is_of_library(outlines, kinds)).map(Stop::text));
                fields += 1;
                if fields > FIELDS {
                    return found.into_iter().map(Stop::look).collect();
                }
            }
            if step.starts_with('.') {
                found.extend(stops.iter().flat_map(|stop| stop.looks_inside(kinds)));
            }
            stops = stops.iter().flat_map(|stop| stop.further(step, outlines, kinds, package)).collect();
            rest = after;
        }
        found.extend(stops.iter().flat_map(|stop| self.at_end(stop, kinds)));
        found.into_iter().map(Stop::look).collect()
    }

    /// The expression for the value itself, and others if no assertion can name it as it is.
    fn at_end(&self, stop: &Stop, kinds: &Kinds) -> Vec<Stop> {
        let mut found = vec![stop.clone()];
        if let Some(element) = self.type_name.strip_suffix("[]") {
            // `int[]`, `java.lang.String[]`
            let name = words::short_class(element);
            found.push(stop.cast(&format!("{name}[]"), import_of(element)));
        }
        if self.type_name == "java.lang.Boolean" {
            // There is no assertion of `Object` that it is true.
            found.push(stop.cast("Boolean", None));
        }
        if is_without_equals(self.type_name) && self.value.starts_with("List.of(") {
            let array_list = |code: &str, imports: &[NewImport], rank: usize| Stop {
                code: format!("new ArrayList<>({code})"),
                imports: [imports, &[new_import("java.util.ArrayList")]].concat(),
                rank,
                class: None,
                is_hidden: false,
                is_cast: false,
                ..stop.clone()
            };
            found.push(array_list(&stop.code, &stop.imports, stop.rank + 1));
            let cast = stop.cast("Collection<?>", Some(new_import("java.util.Collection")));
            found.push(array_list(&cast.code, &cast.imports, cast.rank + 1));
        }
        let is_described = kinds.value(self.type_name, &[]).is_some_and(ValueKind::is_read);
        if is_described || kinds.container(self.type_name).is_some() {
            found.push(stop.text());
        }
        found
    }
}

impl Stop {
    /// The expressions after one more step of the path.
    fn further(&self, step: &str, outlines: &Outlines, kinds: &Kinds, package: &str) -> Vec<Self> {
        match step {
            ".size" if self.class.as_deref().is_some_and(is_text_builder) => return vec![self.call("length()")],
            ".size" => {
                let counted = Self { rank: self.rank + COUNT, ..self.clone() };
                let cast = counted.cast_to_container(self.sized(kinds));
                return vec![counted.call("size()"), cast.call("size()")];
            }
            ".length" => {
                let hidden_array = self.class.as_deref().filter(|class| class.ends_with("[]"));
                let cast = hidden_array.map(|class| self.cast_to_class(class).call("length"));
                return std::iter::once(self.call("length")).chain(cast).collect();
            }
            ".message" | ".getCause()" => {
                let call = if step == ".message" { "getMessage()" } else { "getCause()" };
                return vec![self.call(call), self.cast("Throwable", None).call(call)];
            }
            _ => {}
        }
        if let Some(call) = step.strip_prefix('.').filter(|_| is_call(step)) {
            let mut found = vec![self.call(call)];
            let class = self.class.as_deref();
            if let Some(kind) = class.and_then(|class| kinds.value(class, &[])) {
                found.push(self.cast_to_class(&kind.r#type).call(call));
            }
            if let Some(container) = class.and_then(|class| kinds.container(class)) {
                found.push(self.cast_to_container(container.kind).call(call));
            }
            // If the class is hidden, its text is not.
            if self.is_hidden || class.is_none_or(|class| kind_of(kinds, class).is_none()) {
                found.push(self.text());
            }
            return found;
        }
        if let Some(index) = step.strip_prefix('[').and_then(|step| step.strip_suffix(']')) {
            return indices(index).flat_map(|index| self.at_index(index, kinds)).collect();
        }
        step.strip_prefix('.').map_or_else(Vec::new, |field| self.at_field(field, outlines, package))
    }

    /// The value of a field of an object of the project, by its accessors.
    fn at_field(&self, field: &str, outlines: &Outlines, package: &str) -> Vec<Self> {
        let mut found = Vec::new();
        if let Some(class) = self.class.as_deref() {
            found.extend(self.by_accessors(class, field, outlines, package));
            if self.is_hidden {
                found.extend(self.cast_to_class(class).by_accessors(class, field, outlines, package));
            }
        }
        if found.is_empty() {
            for class in self.classes_with(field, outlines, package) {
                found.extend(self.by_accessors(class, field, outlines, package));
                found.extend(self.cast_to_class(class).by_accessors(class, field, outlines, package));
            }
        }
        found
    }

    fn by_accessors(&self, class: &str, field: &str, outlines: &Outlines, package: &str) -> Vec<Self> {
        let named = accessors(outlines, class, package, &[field.to_owned()]).into_iter();
        let reading = named.filter(|(name, _)| reads(outlines, class, name, field)).take(ACCESSORS);
        reading
            .map(|(name, rank)| Self {
                class: returned(outlines, class, &name),
                rank: self.rank + rank,
                method: name.clone(),
                ..self.call(&format!("{name}()"))
            })
            .collect()
    }

    /// The classes that an object may have if its static type says too little: those that have an accessor of the field.
    fn classes_with<'o>(&self, field: &str, outlines: &'o Outlines, package: &str) -> Vec<&'o str> {
        let ancestor = match self.class.as_deref() {
            None | Some("java.lang.Object") => None,
            // A class of the platform has no subclasses that are worth a guess.
            Some(class) if outlines.class(class).is_none() => return Vec::new(),
            class => class,
        };
        let with_field = outlines.classes().filter(|class| class.fields.iter().any(|own| own.name == field));
        let fitting = with_field.filter(|class| {
            ancestor.is_none_or(|ancestor| outlines.is_a(&class.name, ancestor))
                && !self.by_accessors(&class.name, field, outlines, package).is_empty()
        });
        fitting.map(|class| class.name.as_str()).take(CLASSES).collect()
    }

    /// The element of a list or an array. Its static type may hide which of the two it is.
    fn at_index(&self, index: usize, kinds: &Kinds) -> Vec<Self> {
        let get = format!("get({index})");
        let hidden_list = self.cast_to_container(ContainerForm::List);
        match self.class.as_deref() {
            Some(class) if class.ends_with("[]") => {
                vec![self.element(index), self.cast_to_class(class).element(index)]
            }
            Some(class) if kinds.container(class).is_some() => vec![self.call(&get), hidden_list.call(&get)],
            _ => vec![self.call(&get), self.element(index), hidden_list.call(&get)],
        }
    }

    fn element(&self, index: usize) -> Self {
        Self {
            code: format!("{}[{index}]", self.operand()),
            class: None,
            is_hidden: false,
            is_cast: false,
            ..self.clone()
        }
    }

    /// Whether neither the project nor `rules/values.toml` says how its state is seen.
    fn is_of_library(&self, outlines: &Outlines, kinds: &Kinds) -> bool {
        self.class.as_deref().is_some_and(|class| {
            outlines.class(class).is_none() && kind_of(kinds, class).is_none() && kinds.container(class).is_none()
        })
    }

    /// Calls that show the state of an object of the platform that is read from its fields.
    fn looks_inside(&self, kinds: &Kinds) -> Vec<Self> {
        let Some(kind) = self.class.as_deref().and_then(|class| kind_of(kinds, class)) else { return Vec::new() };
        let plain = Self { throws: kind.throws.clone(), ..self.clone() };
        let cast = plain.cast_to_class(&kind.r#type);
        kind.looks.iter().flat_map(|call| [plain.call(call), cast.call(call)]).collect()
    }

    /// A field or a call of the object.
    fn call(&self, member: &str) -> Self {
        Self {
            code: format!("{}.{member}", self.operand()),
            class: None,
            is_hidden: false,
            is_cast: false,
            ..self.clone()
        }
    }

    /// The text in place of the object.
    fn text(&self) -> Self {
        Self { rank: self.rank + TEXT, ..self.call("toString()") }
    }

    fn cast(&self, to: &str, import: Option<NewImport>) -> Self {
        let imports = self.imports.iter().cloned().chain(import).collect();
        Self { code: format!("({to}) {}", self.code), imports, rank: self.rank + CAST, is_cast: true, ..self.clone() }
    }

    fn cast_to_class(&self, class: &str) -> Self {
        self.cast(&words::short_class(class), import_of(class.trim_end_matches("[]")))
    }

    fn cast_to_container(&self, form: ContainerForm) -> Self {
        let (name, parameters) = match form {
            ContainerForm::List => ("List", "<?>"),
            ContainerForm::Set => ("Collection", "<?>"),
            ContainerForm::Map => ("Map", "<?, ?>"),
        };
        self.cast(&format!("{name}{parameters}"), Some(new_import(&format!("java.util.{name}"))))
    }

    /// The form of a container that has a size: a map, or a collection.
    fn sized(&self, kinds: &Kinds) -> ContainerForm {
        let known = self.class.as_deref().and_then(|class| kinds.container(class));
        match known.map(|container| container.kind) {
            Some(ContainerForm::Map) => ContainerForm::Map,
            Some(ContainerForm::List | ContainerForm::Set) | None => ContainerForm::Set,
        }
    }

    fn operand(&self) -> String {
        if self.is_cast { format!("({})", self.code) } else { self.code.clone() }
    }

    fn look(self) -> Look {
        Look { imports: self.imports, throws: self.throws, ..Look::of(self.code, &self.method, self.rank) }
    }
}

/// The last method that an expression calls: `value` of `it.value()`, or the name of a variable.
fn method_name(expression: &str) -> &str {
    let before = expression.split('(').next().unwrap_or(expression);
    before.rsplit(['.', ' ']).next().unwrap_or(before)
}

/// The kind of a class of the platform: its own, or that of its family. `class` may also be the type of a kind.
fn kind_of<'k>(kinds: &'k Kinds, class: &str) -> Option<&'k ValueKind> {
    let fits =
        |kind: &&ValueKind| kind.r#type == class || kind.family && class.starts_with(&format!("{}$", kind.r#type));
    kinds.value(class, &[]).or_else(|| kinds.value.iter().find(fits))
}

/// `.items[0].size` gives `.items` and `[0].size`; `.get("a.b")[1]` gives `.get("a.b")` and `[1]`.
fn first_step(path: &str) -> (&str, &str) {
    let mut starts = outside_literals(path)
        .filter(|(index, character, depth)| *index > 0 && *depth == 0 && matches!(character, '.' | '['));
    starts.next().map_or((path, ""), |(start, _, _)| path.split_at(start))
}

fn is_builtin(step: &str) -> bool {
    matches!(step, ".size" | ".length" | ".message")
}

/// The indices of a step: `3`, or the first ones of `16…31`.
fn indices(step: &str) -> std::ops::Range<usize> {
    let (first, last) = step.split_once('…').unwrap_or((step, step));
    let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else { return 0..0 };
    first..(last + 1).min(first + ELEMENTS)
}

/// Whether objects of the class compare themselves by identity though they have contents.
fn is_without_equals(class: &str) -> bool {
    ["Queue", "Deque", "$UnmodifiableCollection", "$SynchronizedCollection", "Values"]
        .iter()
        .any(|end| class.ends_with(end))
}

fn reads(outlines: &Outlines, class: &str, method: &str, field: &str) -> bool {
    let mut own = outlines.superclasses(class).flat_map(|class| &class.methods);
    own.any(|one| one.name == method && one.parameters == 0 && one.reads.iter().any(|read| read.name == field))
}

/// The class that a method without parameters returns (binary name).
fn returned(outlines: &Outlines, class: &str, method: &str) -> Option<String> {
    let mut own = outlines.superclasses(class).flat_map(|class| &class.methods);
    let found = own.find(|one| one.name == method && one.parameters == 0)?;
    let name = found.returned.strip_prefix('L')?.strip_suffix(';')?;
    Some(name.replace('/', "."))
}

fn import_of(class: &str) -> Option<NewImport> {
    let is_imported = class.contains('.') && !class.starts_with("java.lang.");
    is_imported.then(|| new_import(words::top_level(class)))
}

fn new_import(name: &str) -> NewImport {
    NewImport { is_static: false, name: name.to_owned() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classfile::names::Member;
    use crate::classfile::outline::{ClassOutline, FieldOutline, MethodOutline, PUBLIC};

    fn codes(path: &str, class: &str, type_name: &str, value: &str) -> Vec<String> {
        codes_of("it", path, class, type_name, value)
    }

    fn codes_of(expression: &str, path: &str, class: &str, type_name: &str, value: &str) -> Vec<String> {
        let getter = |name: &str, field: &str, returned: &str| MethodOutline {
            name: name.to_owned(),
            descriptor: format!("(){returned}"),
            access: PUBLIC,
            returned: returned.to_owned(),
            reads: vec![Member { owner: "a.Box".into(), name: field.into(), descriptor: String::new() }],
            ..MethodOutline::default()
        };
        let field = |name: &str| FieldOutline { name: name.to_owned(), descriptor: String::new(), access: 0 };
        let outline = ClassOutline {
            name: "a.Box".into(),
            access: PUBLIC,
            fields: vec![field("inner"), field("v")],
            methods: vec![getter("inner", "inner", "La/Box;"), getter("value", "v", "Ljava/lang/Object;")],
            ..ClassOutline::default()
        };
        let found = Path { expression, class: Some(class), path, type_name, value };
        let looks = found.looks(&Outlines::new([outline]), Kinds::embedded().unwrap(), "a");
        looks.into_iter().map(|look| look.expression).collect()
    }

    #[test]
    fn fields_are_read_through_their_accessors() {
        assert_eq!(codes(".inner.v", "a.Box", "int", "1"), ["it.inner().value()"]);
        let elements = ["it.value().get(2)", "it.value()[2]", "((List<?>) it.value()).get(2)"];
        assert_eq!(codes(".v[2]", "a.Box", "int", "1"), elements);
        assert!(codes(".hidden", "a.Box", "int", "1").is_empty());
    }

    #[test]
    fn an_element_is_of_a_class_that_has_an_accessor_of_the_field() {
        let expected = ["it.get(\"k\").value()", "((Box) it.get(\"k\")).value()"];
        assert_eq!(codes(".get(\"k\").v", "a.Unknown", "int", "1")[..2], expected);
        assert!(codes(".get(\"k\").hidden", "a.Unknown", "int", "1").is_empty());
    }

    #[test]
    fn a_class_that_the_static_type_may_hide_is_named_by_a_cast() {
        let atomic = "java.util.concurrent.atomic.AtomicInteger";
        assert_eq!(codes(".get()", atomic, "int", "1"), ["it.get()", "((AtomicInteger) it).get()"]);
        assert_eq!(codes("", "int[]", "int[]", "new int[] {1}"), ["it", "(int[]) it"]);
        assert_eq!(codes("", "java.lang.Boolean", "java.lang.Boolean", "true"), ["it", "(Boolean) it"]);
        assert_eq!(codes_of("it.v()", ".get()", atomic, "int", "1").len(), 3);
        assert_eq!(codes(".size", "java.util.HashMap", "int", "1"), ["it.size()", "((Map<?, ?>) it).size()"]);
        assert_eq!(codes(".length", "int[]", "int", "1"), ["it.length", "((int[]) it).length"]);
        assert_eq!(codes("[1]", "java.util.ArrayList", "int", "1"), ["it.get(1)", "((List<?>) it).get(1)"]);
    }

    #[test]
    fn an_object_of_the_platform_is_looked_at_by_calls_that_show_its_state() {
        let reader = "java.io.StringReader";
        assert_eq!(codes(".next", reader, "int", "1"), ["it.read()", "((StringReader) it).read()"]);
    }

    #[test]
    fn an_object_of_a_library_is_looked_at_by_its_text() {
        assert_eq!(codes(".amount.value", "lib.Money", "int", "1"), ["it.toString()"]);
        assert_eq!(codes(".amounts[1]", "lib.Money", "int", "1"), ["it.toString()"]);
    }

    #[test]
    fn steps_end_outside_of_texts_and_parentheses() {
        assert_eq!(first_step(".get(\"a.b[)\")[1].c"), (".get(\"a.b[)\")", "[1].c"));
        assert_eq!(first_step(".get('.')[1].c"), (".get('.')", "[1].c"));
        assert_eq!(first_step(".a"), (".a", ""));
    }
}
