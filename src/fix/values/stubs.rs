//! Stubs: lambdas and anonymous classes for an interface or abstract class that nothing else
//! implements.

use crate::classfile::outline::{
    ABSTRACT, ClassOutline, INTERFACE, MethodOutline, PRIVATE, PROTECTED, PUBLIC, STATIC, VARARGS,
};
use crate::fix::source::imports::NewImport;
use crate::fix::values::catalog::Values;
use crate::fix::values::value::Value;
use crate::text::words;
use std::collections::BTreeSet;

/// Most methods that are written out.
const METHODS: usize = 3;
/// The cost of a lambda, of an anonymous class, and of each of its methods.
const LAMBDA_COST: usize = 4;
const CLASS_COST: usize = 8;
const METHOD_COST: usize = 4;
/// Interfaces of the JDK without methods.
const MARKERS: [&str; 2] = ["java.io.Serializable", "java.lang.Cloneable"];
/// Names of parameters.
const NAMES: [&str; 4] = ["one", "two", "three", "four"];

impl Values<'_> {
    /// Stubs of the class that do nothing and return the simplest values.
    pub(super) fn stubs(&self, class: &str, depth: usize) -> Vec<Value> {
        let Some(outline) = self.outlines.class(class).filter(|outline| self.is_open(outline)) else {
            return Vec::new();
        };
        let Some(wanted) = self.wanted(outline).filter(|wanted| wanted.len() <= METHODS) else { return Vec::new() };
        let mut found = Vec::new();
        if let [method] = wanted.as_slice()
            && outline.access & INTERFACE != 0
        {
            found.extend(lambdas(method));
        }
        found.extend(self.anonymous(outline, &wanted, depth));
        found
    }

    /// Whether a test can extend the class.
    fn is_open(&self, class: &ClassOutline) -> bool {
        class.access & (ABSTRACT | INTERFACE) != 0
            && !class.is_generic
            && !class.local
            && self.outlines.class_accessible(&class.name, self.package())
    }

    /// The methods that a subclass has to implement. `None` if a supertype is unknown.
    fn wanted<'s>(&'s self, class: &'s ClassOutline) -> Option<Vec<&'s MethodOutline>> {
        let mut all: Vec<&ClassOutline> = Vec::new();
        let mut waiting: Vec<&str> = vec![class.name.as_str()];
        let mut known = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if name == "java.lang.Object" || MARKERS.contains(&name) || !known.insert(name) {
                continue;
            }
            let one = self.outlines.class(name)?;
            all.push(one);
            waiting.extend(one.super_name.as_deref().into_iter().chain(one.interfaces.iter().map(String::as_str)));
        }
        let is_done = |wanted: &MethodOutline| {
            all.iter().flat_map(|class| &class.methods).any(|method| {
                method.access & (ABSTRACT | STATIC | PRIVATE) == 0
                    && method.name == wanted.name
                    && method.descriptor == wanted.descriptor
            })
        };
        let mut found: Vec<&MethodOutline> = Vec::new();
        for method in all.iter().flat_map(|class| &class.methods).filter(|method| method.access & ABSTRACT != 0) {
            let is_known = found.iter().any(|one| one.name == method.name && one.descriptor == method.descriptor);
            if !is_done(method) && !is_known {
                found.push(method);
            }
        }
        found.sort_by_key(|method| (&method.name, &method.descriptor));
        Some(found)
    }

    /// An anonymous class in a variable, because it takes several lines. Lines begin with a tab for
    /// each level.
    fn anonymous(&self, class: &ClassOutline, methods: &[&MethodOutline], depth: usize) -> Option<Value> {
        let arguments = if class.access & INTERFACE != 0 {
            Value { code: "()".to_owned(), ..Value::default() }
        } else {
            let constructors = class.methods.iter().filter(|method| {
                method.name == "<init>"
                    && (method.access & PROTECTED != 0 || self.is_member_accessible(class, method.access))
            });
            let constructor = constructors.min_by_key(|method| method.parameters)?;
            let (parameters, _) = words::types(&constructor.descriptor);
            let is_varargs = constructor.access & VARARGS != 0;
            let overloads = self.overloads(class, constructor);
            let list =
                self.lists(&parameters, is_varargs, depth.saturating_sub(1), 1, &overloads).into_iter().next()?;
            list.called("", Vec::new(), &constructor.throws)
        };
        let (written, mut imports) = self.written(&class.name);
        let mut lines = vec![format!("new {written}{} {{", arguments.code)];
        for (index, method) in methods.iter().enumerate() {
            if index > 0 {
                lines.push(String::new());
            }
            let (declaration, needed) = self.declaration(method);
            imports.extend(needed);
            lines.extend(["\t@Override".to_owned(), format!("\t{declaration} {{")]);
            match simplest(&method.returned).first() {
                Some(value) => lines.push(format!("\t\treturn {value};")),
                None => lines.push("\t\t// not of interest".to_owned()),
            }
            lines.push("\t}".to_owned());
        }
        lines.push("}".to_owned());
        let cost = CLASS_COST + METHOD_COST * methods.len() + arguments.cost;
        let object = Value { code: lines.join("\n"), cost, ..arguments };
        let made = self.in_variable(&class.name, &object).1;
        Some(Value { imports: made.imports.iter().cloned().chain(imports).collect(), ..made })
    }

    fn declaration(&self, method: &MethodOutline) -> (String, Vec<NewImport>) {
        let (parameters, returned) = words::types(&method.descriptor);
        let mut imports = Vec::new();
        let mut written = |type_name: &str| {
            let (name, needed) = self.written(type_name.trim_end_matches("[]"));
            imports.extend(needed);
            format!("{name}{}", "[]".repeat(type_name.matches("[]").count()))
        };
        let returned = written(&returned);
        let parameters: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(index, parameter)| format!("{} {}", written(parameter), name(index)))
            .collect();
        let access = match method.access & (PUBLIC | PROTECTED) {
            PUBLIC => "public ",
            PROTECTED => "protected ",
            _ => "",
        };
        (format!("{access}{returned} {}({})", method.name, parameters.join(", ")), imports)
    }
}

fn name(index: usize) -> String {
    NAMES.get(index).map_or_else(|| format!("value{index}"), |name| (*name).to_owned())
}

/// A lambda for each of the simplest results.
fn lambdas(method: &MethodOutline) -> Vec<Value> {
    let names: Vec<String> = (0..method.parameters).map(name).collect();
    let parameters = if names.len() == 1 { names.concat() } else { format!("({})", names.join(", ")) };
    let values = simplest(&method.returned);
    let bodies = if values.is_empty() { vec!["{ }"] } else { values };
    let lambda = |(index, body): (usize, &str)| Value {
        code: format!("{parameters} -> {body}"),
        cost: LAMBDA_COST + index,
        ..Value::default()
    };
    bodies.into_iter().enumerate().map(lambda).collect()
}

/// The simplest results for this return descriptor; none for `void`.
fn simplest(returned: &str) -> Vec<&'static str> {
    match returned {
        "V" => vec![],
        "Z" => vec!["true", "false"],
        "B" | "S" | "I" | "J" | "F" | "D" => vec!["0", "1"],
        "C" => vec!["'a'"],
        "Ljava/lang/String;" | "Ljava/lang/Object;" | "Ljava/lang/CharSequence;" => vec!["\"a\"", "null"],
        _ => vec!["null"],
    }
}
