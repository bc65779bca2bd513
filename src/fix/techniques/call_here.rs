//! Call the method where a test has its receiver, and look at the result
//! (`rules/fixes/call-here.toml`).

use crate::code::Signature;
use crate::fix::look::{About, ENDS, Look, When};
use crate::fix::subject::{Subject, typed};
use crate::fix::techniques::outside::acts_outside;
use crate::fix::techniques::readers::accessors;
use crate::fix::techniques::scope::Scope;
use crate::fix::techniques::technique::Technique;
use crate::suggest::is_literal;
use crate::text::words;

pub const TECHNIQUE: Technique = Technique {
    in_test: Some(looks),
    ..Technique::new("call-here", include_str!("../../../rules/fixes/call-here.toml"))
};

/// Most lists of arguments for one method.
const LISTS: usize = 8;
/// Most values for one parameter.
const VALUES: usize = 4;
/// Most lists of arguments with which a method is called twice to compare the objects.
const SAME: usize = 2;
/// The rank of such a comparison. It says less than the content of the object.
const SAME_RANK: usize = 30;
/// Most accessors that look at the effect of a call.
const ACCESSORS: usize = 6;

fn looks(subject: &Subject<'_>, scope: &Scope<'_>) -> Vec<Look> {
    let package = scope.source.package.as_str();
    let mut looks = Vec::new();
    for method in subject.callable(package) {
        // [`super::compare_unequal`] and [`super::new_input`] compare objects.
        if method.name == "equals"
            || !method.descriptor.starts_with("()") && acts_outside(subject.outlines, &method.member())
        {
            continue;
        }
        let (receivers, imports) = if method.is_static {
            let (name, imports) = scope.class_name(&method.class);
            (vec![name], imports)
        } else {
            let variables = scope.variables_of(&method.class, subject.outlines);
            let variables = variables.into_iter().map(|variable| variable.name.clone());
            let calls = scope.calls_of(&method.class, subject.outlines).into_iter().map(str::to_owned);
            (variables.chain(calls).collect::<Vec<String>>(), Vec::new())
        };
        for receiver in receivers {
            // A receiver that is a call may do something each time.
            let is_variable = method.is_static || !receiver.contains('(');
            for (rank, arguments) in argument_lists(subject, scope, &method, &receiver).into_iter().enumerate() {
                let call = format!("{receiver}.{}({})", method.name, arguments.join(", "));
                let look = Look {
                    before: Vec::new(),
                    act: None,
                    expression: call.clone(),
                    about: About::Result { method: method.name.clone() },
                    when: if arguments.is_empty() { When::Always } else { When::For(arguments) },
                    is_pure: is_variable && changes_nothing(subject, &method),
                    imports: imports.clone(),
                    throws: subject.throws(&method).to_vec(),
                    rank,
                };
                if !method.descriptor.ends_with('V') {
                    if is_object(&method) && rank < SAME && is_variable {
                        looks.push(Look {
                            expression: format!("{call} == {call}"),
                            about: About::Same { method: method.name.clone() },
                            is_pure: false,
                            rank: rank + SAME_RANK,
                            ..look.clone()
                        });
                    }
                    looks.push(look);
                } else {
                    looks.push(Look {
                        act: Some(format!("{call};")),
                        expression: ENDS.to_owned(),
                        is_pure: false,
                        ..look
                    });
                    if method.is_static {
                        continue;
                    }
                    for (name, rank) in accessors(subject.outlines, &method.class, package, &subject.evidence_fields())
                        .into_iter()
                        .take(ACCESSORS)
                    {
                        looks.push(Look {
                            act: Some(format!("{call};")),
                            is_pure: false,
                            when: When::After(method.name.clone()),
                            ..Look::accessor(&receiver, &name, rank)
                        });
                    }
                }
            }
        }
    }
    looks
}

/// Whether a call gives an object that may be a new one each time.
fn is_object(method: &Signature) -> bool {
    method.descriptor.ends_with(';') && !method.descriptor.ends_with(")Ljava/lang/String;")
}

/// Whether the method and the methods that it calls directly write no field. Deeper calls may still
/// change something.
fn changes_nothing(subject: &Subject<'_>, method: &Signature) -> bool {
    subject.outlines.method(&method.member()).is_some_and(|outline| {
        let writes_below = outline
            .calls
            .iter()
            .filter_map(|call| subject.outlines.method(&call.to))
            .any(|callee| !callee.writes.is_empty());
        outline.writes.is_empty() && !writes_below
    })
}

/// Lists of arguments: those that were recorded first, then combinations of what is in scope.
fn argument_lists(subject: &Subject<'_>, scope: &Scope<'_>, method: &Signature, receiver: &str) -> Vec<Vec<String>> {
    let (parameters, _) = words::types(&method.descriptor);
    if parameters.is_empty() {
        return vec![Vec::new()];
    }
    let mut lists: Vec<Vec<String>> = Vec::new();
    if subject.is_itself(method) {
        for call in &subject.calls {
            let values: Vec<&str> = call.arguments.iter().map(|argument| argument.value.as_str()).collect();
            if values.len() == parameters.len()
                && values.iter().all(|value| is_literal(value) && value.len() < 60 && *value != "null")
            {
                lists.push(values.iter().zip(&parameters).map(|(value, parameter)| typed(value, parameter)).collect());
            }
        }
    }
    lists.extend(subject.drawn_for(method));
    let mut combined: Vec<Vec<String>> = vec![Vec::new()];
    for parameter in &parameters {
        let values = values(subject, scope, parameter, receiver);
        combined = combined
            .iter()
            .flat_map(|list| values.iter().map(move |value| [list.as_slice(), std::slice::from_ref(value)].concat()))
            .take(LISTS)
            .collect();
    }
    lists.extend(combined);
    let mut unique: Vec<Vec<String>> = Vec::new();
    lists.into_iter().for_each(|list| {
        if !unique.contains(&list) {
            unique.push(list);
        }
    });
    unique.truncate(LISTS + subject.drawn.len());
    unique
}

/// Values for a parameter of this type.
fn values(subject: &Subject<'_>, scope: &Scope<'_>, parameter: &str, receiver: &str) -> Vec<String> {
    let simple = words::simple_name(parameter);
    let in_scope =
        scope.variables.iter().filter(|variable| variable.name != receiver && variable.simple_type() == simple);
    let mut values: Vec<String> = in_scope.map(|variable| variable.name.clone()).collect();
    let seen = subject.calls.iter().flat_map(|call| &call.arguments);
    let of_type = seen
        .filter(|argument| argument.type_name == parameter && is_literal(&argument.value) && argument.value.len() < 60);
    values.extend(of_type.map(|argument| typed(&argument.value, parameter)));
    let usual: &[&str] = match parameter {
        "boolean" => &["true", "false"],
        "int" | "short" | "byte" => &["0", "1", "-1"],
        "long" => &["0L", "1L", "-1L"],
        "double" | "float" => &["0", "1"],
        "char" => &["'a'", "' '"],
        "java.lang.String" | "java.lang.CharSequence" => &["\"a\"", "\"\""],
        "java.lang.Object" => &["new Object()", "null"],
        _ => &["null"],
    };
    values.extend(usual.iter().map(|value| typed(value, parameter)));
    let mut unique: Vec<String> = Vec::new();
    values.into_iter().for_each(|value| {
        if !unique.contains(&value) {
            unique.push(value);
        }
    });
    unique.truncate(VALUES);
    unique
}
