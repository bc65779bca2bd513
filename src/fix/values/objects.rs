//! Objects of a class of the project: constants, constructors, factories, and calls that change an
//! object first.

use crate::classfile::outline::{
    ABSTRACT, ClassOutline, FINAL, INTERFACE, MethodOutline, PRIVATE, PUBLIC, STATIC, VARARGS,
};
use crate::fix::values::catalog::Values;
use crate::fix::values::value::{Arguments, VALUES, Value, WAYS};
use crate::text::words;

/// Most lists of arguments for one constructor or factory.
const LISTS: usize = 5;
/// Most objects of one class of the project.
const OBJECTS: usize = 24;
/// Most static factories.
const FACTORIES: usize = 10;
/// Most methods that change an object before it is used.
const CHANGES: usize = 12;
/// Most calls that are combined into sequences.
const STEPS: usize = 14;
/// The cost of each further object that is made in the same way.
const WAY_COST: usize = 3;
/// The additional cost of assigning a field, which users of a class do not do.
const FIELD_COST: usize = 6;

impl Values<'_> {
    /// Objects of a class of the project, or of its subclasses: the first object of each way to
    /// make one, then the second of each.
    pub(super) fn objects(&self, class: &str, depth: usize) -> Vec<Value> {
        let Some(outline) = self.outlines.class(class) else { return Vec::new() };
        let mut ways: Vec<Vec<Value>> = vec![self.constants_of(outline)];
        if outline.super_name.as_deref() != Some("java.lang.Enum") {
            let concrete = |class: &&ClassOutline| class.access & (ABSTRACT | INTERFACE) == 0;
            let own = std::iter::once(outline).filter(concrete);
            let below =
                self.outlines.classes().filter(|below| below.name != class && self.outlines.is_a(&below.name, class));
            let is_open = outline.access & (ABSTRACT | INTERFACE) != 0;
            let below = below.filter(concrete).take(if is_open { WAYS } else { 0 });
            for made_class in own.chain(below) {
                ways.extend(self.constructors(made_class, depth, None));
                if is_open {
                    ways.push(self.constants_of(made_class));
                }
            }
            ways.extend(self.factories(class, depth));
            let plain: Vec<Value> = ways.iter().filter_map(|way| way.first()).take(2).cloned().collect();
            ways.extend(self.changed(class, &plain, depth));
            ways.extend(self.prepared(class, &plain, depth));
        }
        let mut found: Vec<Value> = Vec::new();
        for (rank, way) in ways.into_iter().filter(|way| !way.is_empty()).enumerate() {
            found.extend(way.into_iter().enumerate().map(|(index, value)| {
                let late = WAY_COST * index + rank;
                Value { cost: value.cost + late, ..value }
            }));
        }
        found.sort_by_key(|value| value.cost);
        found.truncate(OBJECTS);
        found
    }

    /// The same objects after a call that gives the object itself or another one of its class, as
    /// in a builder.
    fn changed(&self, class: &str, objects: &[Value], depth: usize) -> Vec<Vec<Value>> {
        let Some(outline) = self.outlines.class(class).filter(|_| depth >= 2) else { return Vec::new() };
        let descriptor = format!("L{};", class.replace('.', "/"));
        let mut methods: Vec<&MethodOutline> = outline.methods.iter().collect();
        methods.retain(|method| {
            method.access & STATIC == 0
                && method.returned == descriptor
                && self.outlines.accessible(&outline.member(method), self.package())
        });
        methods.sort_by_key(|method| method.parameters);
        let mut ways = Vec::new();
        for method in methods.into_iter().take(CHANGES) {
            let (parameters, _) = words::types(&method.descriptor);
            let is_varargs = method.access & VARARGS != 0;
            let lists = self.lists(&parameters, is_varargs, depth - 2, 2, &self.overloads(outline, method));
            let call = |object: &Value, list: &Arguments| {
                list.called(&format!("{}.{}", object.code, method.name), Vec::new(), &method.throws).after(object)
            };
            ways.push(
                objects.iter().take(1).flat_map(|object| lists.iter().map(move |list| call(object, list))).collect(),
            );
        }
        ways
    }

    /// A new object in a variable after a statement that changes it: a call, or an assignment to a
    /// field.
    fn prepared(&self, class: &str, objects: &[Value], depth: usize) -> Vec<Vec<Value>> {
        let outline = self.outlines.class(class).filter(|outline| depth >= 2 && !outline.is_generic);
        // An object that others use as well is not changed.
        let object = objects.iter().find(|object| object.code.starts_with("new ") && object.before.is_empty());
        let Some((_, object)) = outline.zip(object) else { return Vec::new() };
        let mut ways = Vec::new();
        for owner in self.outlines.superclasses(class) {
            for field in &owner.fields {
                if field.access & (STATIC | FINAL) == 0 && self.is_member_accessible(owner, field.access) {
                    let (types, _) = words::types(&format!("({})V", field.descriptor));
                    let values = types.first().map(|of| self.of(of, depth - 2)).into_iter();
                    let values = values.flat_map(|values| values.iter().take(2).cloned().collect::<Vec<Value>>());
                    let assigned = |value: Value| {
                        let (variable, made) = self.in_variable(class, object);
                        let line = format!("{variable}.{} = {};", field.name, value.code);
                        let assigned = made.after(&value).then(line);
                        Value { cost: assigned.cost + FIELD_COST, ..assigned }
                    };
                    ways.push(values.filter(|value| value.code != "null").map(assigned).collect());
                }
            }
        }
        let (variable, made) = self.in_variable(class, object);
        let steps = self.steps(class, &variable, depth).into_iter();
        ways.extend(steps.map(|way| way.iter().map(|step| made.clone().then_call(step)).collect()));
        ways
    }

    /// New objects in a variable after two calls that change them, or three calls of the same
    /// method.
    #[must_use]
    pub fn sequences(&self, class: &str, depth: usize) -> Vec<Value> {
        let Some(outline) = self.outlines.class(class).filter(|outline| !outline.is_generic) else { return Vec::new() };
        let made = self.constructors(outline, depth, None).into_iter().flatten();
        let Some(object) = made.into_iter().find(|object| object.before.is_empty()) else { return Vec::new() };
        let (variable, made) = self.in_variable(class, &object);
        let steps: Vec<Value> = self.steps(class, &variable, depth).into_iter().flatten().take(STEPS).collect();
        let mut found: Vec<Value> = Vec::new();
        for step in &steps {
            let twice = made.clone().then_call(step).then_call(step);
            found.push(twice.clone().then_call(step));
            found.push(twice);
            let next_steps = steps.iter().filter(|next_step| *next_step != step);
            found.extend(next_steps.map(|next_step| made.clone().then_call(step).then_call(next_step)));
        }
        found.sort_by_key(|value| value.cost);
        found
    }

    /// Calls that may change the object in this variable: the first argument lists of each method.
    fn steps(&self, class: &str, variable: &str, depth: usize) -> Vec<Vec<Value>> {
        let mut calls: Vec<(&ClassOutline, &MethodOutline)> = Vec::new();
        for owner in self.outlines.superclasses(class) {
            let changes = owner.methods.iter().filter(|method| {
                method.access & STATIC == 0
                    && !method.name.starts_with('<')
                    && (method.returned == "V" || !method.writes.is_empty())
                    && self.outlines.accessible(&owner.member(method), self.package())
            });
            calls.extend(changes.map(|method| (owner, method)));
        }
        calls.sort_by_key(|(_, method)| (method.returned != "V", method.parameters));
        let of = |(owner, method): (&ClassOutline, &MethodOutline)| {
            let (parameters, _) = words::types(&method.descriptor);
            let is_varargs = method.access & VARARGS != 0;
            let depth = depth.saturating_sub(2);
            let lists = self.lists(&parameters, is_varargs, depth, 2, &self.overloads(owner, method));
            let call =
                |list: &Arguments| list.called(&format!("{variable}.{}", method.name), Vec::new(), &method.throws);
            lists.iter().map(call).collect()
        };
        calls.into_iter().take(CHANGES).map(of).collect()
    }

    /// The name of a variable with a new object, and the variable as a value.
    #[must_use]
    pub fn in_variable(&self, class: &str, object: &Value) -> (String, Value) {
        let (written, imports) = self.written(class);
        let variable = words::variable(class);
        let made =
            Value { code: variable.clone(), ..object.clone() }.then(format!("{written} {variable} = {};", object.code));
        (variable, Value { imports: made.imports.iter().cloned().chain(imports).collect(), ..made })
    }

    /// Whether a test can name a member of the class with these access flags.
    pub(super) fn is_member_accessible(&self, class: &ClassOutline, access: u16) -> bool {
        access & PUBLIC != 0 || (access & PRIVATE == 0 && words::package(&class.name) == self.package())
    }

    /// Constants of the class that have its own type.
    #[must_use]
    pub fn constants_of(&self, class: &ClassOutline) -> Vec<Value> {
        if !self.outlines.class_accessible(&class.name, self.package()) {
            return Vec::new();
        }
        let descriptor = format!("L{};", class.name.replace('.', "/"));
        let (written, imports) = self.written(&class.name);
        let is_one = |access: u16| access & STATIC != 0 && self.is_member_accessible(class, access);
        let fields = class.fields.iter().filter(|field| field.descriptor == descriptor && is_one(field.access));
        let value = |(index, name): (usize, &String)| Value {
            code: format!("{written}.{name}"),
            imports: imports.clone(),
            cost: 1 + index.min(5),
            ..Value::default()
        };
        fields.map(|field| &field.name).enumerate().map(value).collect()
    }

    /// Objects that a constructor of the class makes.
    #[must_use]
    pub fn constructed(&self, class: &ClassOutline, depth: usize, descriptor: &str) -> Vec<Value> {
        self.constructors(class, depth, Some(descriptor)).into_iter().flatten().collect()
    }

    /// Objects from each constructor of the class, or from one.
    fn constructors(&self, class: &ClassOutline, depth: usize, only: Option<&str>) -> Vec<Vec<Value>> {
        let constructors = class.methods.iter().filter(|method| {
            let member = class.member(method);
            method.name == "<init>"
                && only.is_none_or(|only| method.descriptor == only)
                && self.outlines.accessible(&member, self.package())
        });
        let mut constructors: Vec<&MethodOutline> = constructors.collect();
        constructors.sort_by_key(|method| method.parameters);
        let lists = if only.is_some() { VALUES } else { LISTS };
        let mut ways = Vec::new();
        for constructor in constructors.into_iter().take(WAYS) {
            if depth == 0 && constructor.parameters > 0 {
                continue;
            }
            let mut found = Vec::new();
            let (parameters, _) = words::types(&constructor.descriptor);
            // The constructor of an inner class gets the enclosing object first (JLS §8.8.9).
            let around = class
                .outer
                .as_deref()
                .filter(|outer| class.access & STATIC == 0 && parameters.first().is_some_and(|first| first == outer));
            let own = parameters.get(usize::from(around.is_some())..).unwrap_or_default();
            let is_varargs = constructor.access & VARARGS != 0;
            let of_any = if class.is_generic { "<>" } else { "" };
            for list in self.lists(own, is_varargs, depth.saturating_sub(1), lists, &self.overloads(class, constructor))
            {
                match around {
                    None => {
                        let (written, imports) = self.written(&class.name);
                        found.push(list.called(&format!("new {written}{of_any}"), imports, &constructor.throws));
                    }
                    Some(outer) => {
                        for object in
                            self.of(outer, depth.saturating_sub(1)).iter().filter(|value| value.code != "null").take(1)
                        {
                            let made = list.called(
                                &format!("{}.new {}{of_any}", object.code, words::simple_name(&class.name)),
                                Vec::new(),
                                &constructor.throws,
                            );
                            found.push(made.after(object));
                        }
                    }
                }
            }
            ways.push(found);
        }
        ways
    }

    /// Results of the methods of the project that return this type or a subtype.
    fn factories(&self, class: &str, depth: usize) -> Vec<Vec<Value>> {
        let types = self.makers.keys().filter(|made| *made == class || self.outlines.is_a(made, class));
        let mut makers: Vec<&(&ClassOutline, &MethodOutline)> =
            types.filter_map(|made| self.makers.get(made)).flatten().collect();
        makers.retain(|(owner, method)| {
            self.outlines.accessible(&owner.member(method), self.package())
                && (method.access & STATIC != 0 || (owner.name != class && depth >= 2))
        });
        makers.sort_by_key(|(owner, method)| (method.access & STATIC == 0, owner.name != class, method.parameters));
        let (fixed, on_objects): (Vec<_>, Vec<_>) =
            makers.into_iter().partition(|(_, method)| method.access & STATIC != 0);
        let mut ways = Vec::new();
        for (owner, method) in fixed.into_iter().take(FACTORIES).chain(on_objects.into_iter().take(WAYS)) {
            if depth == 0 && method.parameters > 0 {
                continue;
            }
            let (parameters, _) = words::types(&method.descriptor);
            let lists = self.lists(
                &parameters,
                method.access & VARARGS != 0,
                depth.saturating_sub(1),
                LISTS,
                &self.overloads(owner, method),
            );
            if method.access & STATIC != 0 {
                let (written, imports) = self.written(&owner.name);
                let call = |list: &Arguments| {
                    list.called(&format!("{written}.{}", method.name), imports.clone(), &method.throws)
                };
                ways.push(lists.iter().map(call).collect());
            } else {
                let mut made = Vec::new();
                for receiver in self.of(&owner.name, depth - 2).iter().filter(|value| value.code != "null").take(2) {
                    for list in lists.iter().take(2) {
                        let result =
                            list.called(&format!("{}.{}", receiver.code, method.name), Vec::new(), &method.throws);
                        made.push(result.after(receiver));
                    }
                }
                ways.push(made);
            }
        }
        ways
    }
}
