//! The operators of `rules/transformations.toml`, and the constants with which they replace the
//! body of a method.

use crate::base::error::{Error, Result};
use crate::transform::Constant;
use crate::transform::body;
use crate::transform::candidate::Candidate;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The file, as it is in the repository.
const RULES: &str = include_str!("../../rules/transformations.toml");

/// One kind of extreme transformation: an entry of `rules/transformations.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Operator {
    /// Descartes' name, as reports write it.
    pub name: String,
    /// The word that selects it, if that is not its name.
    selected_by: Option<String>,
    /// Whether it is one of the study's transformations.
    pub default: bool,
    #[serde(default)]
    returns: Vec<String>,
    constant: Template,
    /// A sentence.
    pub description: String,
    /// A Java method to which it applies.
    pub example: String,
}

/// A constant that may depend on the method.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Template {
    Void,
    Null,
    This,
    Argument,
    EmptyArray,
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    String(String),
    Boxed(Box<Template>),
    /// The call for each return type.
    StaticCall(BTreeMap<String, StaticCall>),
    /// The class for each return type.
    New(BTreeMap<String, String>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StaticCall {
    class: String,
    method: String,
    result: String,
    #[serde(default)]
    interface: bool,
}

#[derive(Deserialize)]
struct File {
    transformation: Vec<Operator>,
}

/// All operators, in the order of the file.
///
/// # Errors
/// A bug if the built-in file is broken; a test reads it.
pub fn all() -> Result<Vec<Operator>> {
    toml::from_str::<File>(RULES)
        .map(|file| file.transformation)
        .map_err(|error| Error::bug(format!("The built-in rules/transformations.toml cannot be read: {error}.")))
}

impl Operator {
    /// The word for `--transformations` that selects it.
    #[must_use]
    pub fn selector(&self) -> &str {
        self.selected_by.as_deref().unwrap_or(&self.name)
    }

    /// The return types to which it applies: primitive types, `void`, `array`, `reference` (any
    /// class, interface or array), or the binary names of classes.
    #[must_use]
    pub fn return_types(&self) -> Vec<&str> {
        match &self.constant {
            Template::StaticCall(calls) => calls.keys().map(String::as_str).collect(),
            Template::New(classes) => classes.keys().map(String::as_str).collect(),
            _ => self.returns.iter().map(String::as_str).collect(),
        }
    }

    /// The constant that replaces the body of `method`. `None` if the operator does not apply to
    /// the method, or if the body already returns just this constant.
    #[must_use]
    pub(super) fn constant(&self, method: &Candidate<'_>) -> Option<Constant> {
        let by_table = matches!(self.constant, Template::StaticCall(_) | Template::New(_));
        if !by_table && !self.returns.iter().any(|kind| is_of_kind(&method.return_type, kind)) {
            return None;
        }
        let constant = self.constant.fill(method)?;
        let already = body::returned(&method.steps, &method.slots);
        (!already.is_some_and(|already| body::same(&already, &constant))).then_some(constant)
    }
}

impl Template {
    fn fill(&self, method: &Candidate<'_>) -> Option<Constant> {
        let class = class_of(&method.return_type);
        Some(match self {
            Template::Void => Constant::Void,
            Template::Null => Constant::Null,
            Template::This => {
                let owner = &method.class;
                let returned = class?;
                let fits = returned == owner.name
                    || Some(&returned) == owner.super_name.as_ref()
                    || owner.interfaces.contains(&returned)
                    || returned == "java.lang.Object";
                (!method.is_static() && fits).then_some(Constant::This)?
            }
            Template::Argument => {
                let number = method.parameters.iter().position(|parameter| *parameter == method.return_type)?;
                Constant::Argument(u16::try_from(number).ok()?)
            }
            Template::EmptyArray => Constant::EmptyArray(method.return_type.strip_prefix('[')?.to_string()),
            Template::Int(value) => Constant::Int(*value),
            Template::Long(value) => Constant::Long(*value),
            Template::Float(value) => Constant::Float(*value),
            Template::Double(value) => Constant::Double(*value),
            Template::String(value) => Constant::String(value.clone()),
            Template::Boxed(value) => {
                let class = class?;
                Constant::Boxed {
                    primitive: boxed_primitive(&class)?.to_string(),
                    class: internal(&class),
                    value: Box::new(value.fill(method)?),
                }
            }
            Template::StaticCall(calls) => {
                let call = calls.get(&class?)?;
                Constant::StaticCall {
                    class: internal(&call.class),
                    method: call.method.clone(),
                    descriptor: format!("()L{};", internal(&call.result)),
                    interface: call.interface,
                }
            }
            Template::New(classes) => Constant::New(internal(classes.get(&class?)?)),
        })
    }
}

/// Whether a return type (field descriptor, or `V`) is of a kind that the rules name.
fn is_of_kind(return_type: &str, kind: &str) -> bool {
    match kind {
        "void" => return_type == "V",
        "boolean" => return_type == "Z",
        "byte" => return_type == "B",
        "short" => return_type == "S",
        "char" => return_type == "C",
        "int" => return_type == "I",
        "long" => return_type == "J",
        "float" => return_type == "F",
        "double" => return_type == "D",
        "array" => return_type.starts_with('['),
        "reference" => return_type.starts_with(['L', '[']),
        class => class_of(return_type).is_some_and(|name| name == class),
    }
}

/// The binary name of a class or interface type.
fn class_of(descriptor: &str) -> Option<String> {
    Some(descriptor.strip_prefix('L')?.strip_suffix(';')?.replace('/', "."))
}

fn internal(binary: &str) -> String {
    binary.replace('.', "/")
}

fn boxed_primitive(class: &str) -> Option<&'static str> {
    Some(match class {
        "java.lang.Boolean" => "Z",
        "java.lang.Byte" => "B",
        "java.lang.Short" => "S",
        "java.lang.Character" => "C",
        "java.lang.Integer" => "I",
        "java.lang.Long" => "J",
        "java.lang.Float" => "F",
        "java.lang.Double" => "D",
        _ => return None,
    })
}
