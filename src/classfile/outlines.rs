//! The outlines of all classes of a project. They tell what a test can call, which methods show a field, and which
//! methods call another one.

use crate::base::error::Result;
use crate::classfile::compiled_classes::CompiledClasses;
use crate::classfile::names::{self, Member, NameAndType};
use crate::classfile::outline::{self, ABSTRACT, ClassOutline, MethodOutline, PRIVATE, PUBLIC, STATIC, SYNTHETIC};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The outlines of all classes of a project, by binary name.
#[derive(Clone, Debug, Default)]
pub struct Outlines {
    classes: BTreeMap<String, ClassOutline>,
    /// For each class: itself, its superclasses and interfaces, up to the first that does not belong to the project.
    supertypes: BTreeMap<String, BTreeSet<String>>,
    /// Calls, by name and descriptor of the called method.
    call_sites: BTreeMap<NameAndType, Vec<CallSite>>,
}

/// A call in the body of `caller`.
#[derive(Clone, Debug)]
struct CallSite {
    caller: Member,
    /// Static type of the receiver.
    owner: String,
    dispatched: bool,
}

/// A method whose result may show a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accessor {
    pub method: Member,
    pub public: bool,
    /// The number of declared parameters.
    pub parameters: usize,
    /// Whether it reads the field itself, and not through a method that it calls.
    pub direct: bool,
}

/// A method that a test can call, and the calls from it to a given method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub method: Member,
    pub public: bool,
    /// From `method` (first) to the given method (last), without synthetic methods.
    pub chain: Vec<Member>,
}

impl Outlines {
    /// The outlines of these classes.
    ///
    /// # Errors
    /// A class file is broken.
    pub fn of(classes: &CompiledClasses) -> Result<Self> {
        let mut outlines = Vec::new();
        for compiled in classes.by_name() {
            outlines.push(outline::of(&compiled.class).map_err(|error| compiled.broken(&error))?);
        }
        Ok(Self::new(outlines))
    }

    /// The outlines of the classes below a folder.
    #[cfg(test)]
    pub(crate) fn read(folder: &std::path::Path) -> Result<Self> {
        let folders = crate::base::id::IdVec::from_vec(vec![folder.to_path_buf()]);
        Self::of(&CompiledClasses::read(&folders)?)
    }

    #[must_use]
    pub fn new(classes: impl IntoIterator<Item = ClassOutline>) -> Self {
        let classes: BTreeMap<String, ClassOutline> =
            classes.into_iter().map(|class| (class.name.clone(), class)).collect();
        let supertypes = classes.keys().map(|name| (name.clone(), supertypes(&classes, name))).collect();
        let mut call_sites: BTreeMap<NameAndType, Vec<CallSite>> = BTreeMap::new();
        for class in classes.values() {
            for method in &class.methods {
                for call in &method.calls {
                    let callee = NameAndType { name: call.to.name.clone(), descriptor: call.to.descriptor.clone() };
                    call_sites.entry(callee).or_default().push(CallSite {
                        caller: class.member(method),
                        owner: call.to.owner.clone(),
                        dispatched: call.dispatched,
                    });
                }
            }
        }
        Self { classes, supertypes, call_sites }
    }

    #[must_use]
    pub fn class(&self, name: &str) -> Option<&ClassOutline> {
        self.classes.get(name)
    }

    /// All classes, sorted by name.
    pub fn classes(&self) -> impl Iterator<Item = &ClassOutline> {
        self.classes.values()
    }

    #[must_use]
    pub fn method(&self, method: &Member) -> Option<&MethodOutline> {
        self.class(&method.owner)?.method(&method.name, &method.descriptor)
    }

    /// Whether code in `from_package` can name the class: it and all enclosing classes are public, or visible in that
    /// package.
    #[must_use]
    pub fn class_accessible(&self, name: &str, from_package: &str) -> bool {
        let mut next = Some(name);
        // A class has at most as many enclosing classes as its name has `$`; the limit is for broken class files.
        for _ in 0..=name.len() {
            let Some(name) = next else { return true };
            let Some(class) = self.class(name) else { return false };
            if class.local || class.access & SYNTHETIC != 0 || !visible(class.access, name, from_package) {
                return false;
            }
            next = class.outer.as_deref();
        }
        false
    }

    /// The class, or its nearest superclass that code in `from_package` can name. Nothing is known of classes outside of
    /// the project; they count as public.
    #[must_use]
    pub fn nameable<'a>(&'a self, class: &'a str, from_package: &str) -> &'a str {
        let is_nameable = |name: &&str| self.class(name).is_none() || self.class_accessible(name, from_package);
        let upwards = std::iter::successors(Some(class), |name| self.class(name)?.super_name.as_deref());
        // The superclasses in broken class files could form a circle.
        upwards.take(self.classes.len() + 1).find(is_nameable).unwrap_or("java.lang.Object")
    }

    /// Whether code in `from_package` can call the method: it and its class are public, or visible in that package.
    /// Constructors of abstract classes cannot be called. `equals`, `hashCode` and `toString` can be called without naming
    /// the class.
    #[must_use]
    pub fn accessible(&self, method: &Member, from_package: &str) -> bool {
        let (Some(class), Some(found)) = (self.class(&method.owner), self.method(method)) else { return false };
        found.name != "<clinit>"
            && found.access & SYNTHETIC == 0
            && !(found.name == "<init>" && class.access & ABSTRACT != 0)
            && visible(found.access, &class.name, from_package)
            && (self.class_accessible(&class.name, from_package) || (!class.local && is_of_any_object(found)))
    }

    /// The accessors of a field for code in `from_package`: methods with a result that read the field `name` of `owner` (or
    /// of the superclass that declares it), themselves or through a method that they call, and write no field.
    ///
    /// Best first, in this order: public, without parameters, direct, other than `equals`, `hashCode` and `toString`,
    /// reading the fewest fields.
    #[must_use]
    pub fn accessors_of(&self, owner: &str, name: &str, from_package: &str) -> Vec<Accessor> {
        let Some(declaring) = self.declaring_class(owner, name) else { return Vec::new() };
        let reads = |method: &MethodOutline| {
            method.writes.is_empty()
                && method
                    .reads
                    .iter()
                    .any(|read| read.name == name && self.declaring_class(&read.owner, name) == Some(declaring))
        };
        let mut found = Vec::new();
        for class in self.classes.values() {
            let related = self.related(&class.name, declaring);
            for method in &class.methods {
                let member = class.member(method);
                if method.returned == "V"
                    || method.name.starts_with('<')
                    || !method.writes.is_empty()
                    || !self.accessible(&member, from_package)
                {
                    continue;
                }
                let direct = reads(method);
                let through_a_call = || {
                    method
                        .calls
                        .iter()
                        .filter_map(|call| self.implementation(&call.to.owner, &call.to.name, &call.to.descriptor))
                        .any(|(_, callee)| callee.returned != "V" && reads(callee))
                };
                if direct || (related && through_a_call()) {
                    let public = method.access & PUBLIC != 0;
                    let of_object = matches!(method.name.as_str(), "equals" | "hashCode" | "toString");
                    let order = (!public, method.parameters > 0, !direct, of_object, method.reads.len());
                    found.push((order, Accessor { method: member, public, parameters: method.parameters, direct }));
                }
            }
        }
        found.sort_by(|(a_order, a), (b_order, b)| (a_order, &a.method).cmp(&(b_order, &b.method)));
        found.into_iter().map(|(_, accessor)| accessor).collect()
    }

    /// The nearest methods through which code in `from_package` reaches `method`: fewest calls first, then public ones.
    ///
    /// This is a breadth-first search up the static call graph of the project; it stops at methods that can be called. A
    /// call counts if the class hierarchy lets it arrive at the method, even if the program never makes it. Calls on
    /// receivers of static type `java.lang.Object` could arrive anywhere and do not count.
    #[must_use]
    pub fn callers_of(&self, method: &Member, from_package: &str) -> Vec<Caller> {
        let mut visited = BTreeSet::from([method.clone()]);
        let mut waiting = VecDeque::from([vec![method.clone()]]);
        let mut found: Vec<(usize, Caller)> = Vec::new();
        while let Some(chain) = waiting.pop_front() {
            let Some(callee) = chain.last() else { continue };
            for caller in self.direct_callers(callee) {
                if !visited.insert(caller.clone()) {
                    continue;
                }
                let mut longer = chain.clone();
                longer.push(caller.clone());
                if self.accessible(&caller, from_package) {
                    let public = self.method(&caller).is_some_and(|outline| outline.access & PUBLIC != 0);
                    let distance = longer.len();
                    let in_source = |member: &Member| {
                        member == method || self.method(member).is_none_or(|outline| outline.access & SYNTHETIC == 0)
                    };
                    let chain = longer.into_iter().rev().filter(in_source).collect();
                    found.push((distance, Caller { method: caller, public, chain }));
                } else {
                    waiting.push_back(longer);
                }
            }
        }
        found.sort_by(|(a_distance, a), (b_distance, b)| {
            (a_distance, !a.public, &a.method).cmp(&(b_distance, !b.public, &b.method))
        });
        found.into_iter().map(|(_, caller)| caller).collect()
    }

    /// The methods with a call that can arrive at `callee`, sorted.
    #[must_use]
    pub fn direct_callers(&self, callee: &Member) -> BTreeSet<Member> {
        let called = NameAndType { name: callee.name.clone(), descriptor: callee.descriptor.clone() };
        let call_sites = self.call_sites.get(&called).map_or(&[][..], Vec::as_slice);
        // The supertypes of each class on which the call runs the callee: its own class, and subclasses that inherit it.
        let receivers: Vec<&BTreeSet<String>> = self
            .supertypes
            .iter()
            .filter(|(class, supertypes)| supertypes.contains(&callee.owner) && self.is_implementation(class, callee))
            .map(|(_, supertypes)| supertypes)
            .collect();
        let overridable = self
            .method(callee)
            .is_some_and(|method| method.access & (PRIVATE | STATIC) == 0 && method.name != "<init>");
        let arrives = |site: &&CallSite| {
            if site.dispatched && overridable {
                receivers.iter().any(|supertypes| supertypes.contains(&site.owner))
            } else {
                self.is_implementation(&site.owner, callee)
            }
        };
        call_sites.iter().filter(arrives).map(|site| site.caller.clone()).collect()
    }

    fn is_implementation(&self, class: &str, callee: &Member) -> bool {
        self.implementation(class, &callee.name, &callee.descriptor).is_some_and(|(owner, _)| owner == callee.owner)
    }

    /// The method that a call by that name on an object of `class` runs, and the class that declares it: the nearest in the
    /// class and its superclasses, or a default method of an interface (JVMS §5.4.6).
    fn implementation(&self, class: &str, name: &str, descriptor: &str) -> Option<(&str, &MethodOutline)> {
        for superclass in self.superclasses(class) {
            if let Some(method) = superclass.method(name, descriptor) {
                return Some((&superclass.name, method));
            }
        }
        if name.starts_with('<') {
            return None;
        }
        let interfaces = self.supertypes.get(class)?.iter().filter_map(|supertype| self.class(supertype));
        interfaces
            .filter_map(|interface| Some((interface.name.as_str(), interface.method(name, descriptor)?)))
            .filter(|(_, method)| method.access & ABSTRACT == 0)
            // Of several default methods the most specific one runs: its interface extends the others.
            .max_by_key(|(interface, _)| self.supertypes.get(*interface).map_or(0, BTreeSet::len))
    }

    /// The class that declares the field `name` of `owner`.
    fn declaring_class(&self, owner: &str, name: &str) -> Option<&str> {
        let declares = |class: &&ClassOutline| class.fields.iter().any(|field| field.name == name);
        let among_interfaces =
            || self.supertypes.get(owner)?.iter().filter_map(|supertype| self.class(supertype)).find(declares);
        self.superclasses(owner).find(declares).or_else(among_interfaces).map(|class| class.name.as_str())
    }

    /// Whether `class` is `ancestor`, or a class or interface below it.
    #[must_use]
    pub fn is_a(&self, class: &str, ancestor: &str) -> bool {
        self.supertypes.get(class).is_some_and(|types| types.contains(ancestor))
    }

    /// The given methods and all methods of the project that are at most `levels` calls away from them: nearest first, each
    /// once.
    #[must_use]
    pub fn called_from(&self, methods: &[Member], levels: usize) -> Vec<(Member, &MethodOutline)> {
        let mut known: BTreeSet<Member> = methods.iter().cloned().collect();
        let mut found = Vec::new();
        let mut level = methods.to_vec();
        for _ in 0..=levels {
            let mut next = Vec::new();
            for member in level {
                let Some(outline) = self.method(&member) else { continue };
                let called = outline.calls.iter().map(|call| &call.to);
                next.extend(called.filter(|to| known.insert((*to).clone())).cloned());
                found.push((member, outline));
            }
            level = next;
        }
        found
    }

    /// The class and its superclasses, as far as they belong to the project.
    pub fn superclasses(&self, class: &str) -> impl Iterator<Item = &ClassOutline> {
        std::iter::successors(self.class(class), |class| self.class(class.super_name.as_deref()?))
            // The superclasses in broken class files could form a circle.
            .take(self.classes.len())
    }

    /// Whether one class is a supertype of the other, or both are nested in the same class.
    fn related(&self, a: &str, b: &str) -> bool {
        self.is_a(a, b) || self.is_a(b, a) || self.outermost(a) == self.outermost(b)
    }

    /// The top-level class around a class.
    fn outermost<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name;
        for _ in 0..self.classes.len() {
            match self.class(name).and_then(|class| class.outer.as_deref()) {
                Some(outer) => name = outer,
                None => break,
            }
        }
        name
    }
}

/// Whether the method overrides one of the public methods of `java.lang.Object` that classes are expected to override.
fn is_of_any_object(method: &MethodOutline) -> bool {
    let methods = [("equals", "(Ljava/lang/Object;)Z"), ("hashCode", "()I"), ("toString", "()Ljava/lang/String;")];
    methods.contains(&(method.name.as_str(), method.descriptor.as_str()))
}

/// Whether code in `from_package` sees a member or class with that access. Protected members are also visible in their
/// package.
fn visible(access: u16, class: &str, from_package: &str) -> bool {
    access & PUBLIC != 0 || (access & PRIVATE == 0 && names::package(class) == from_package)
}

/// The class and all classes and interfaces above it, except `java.lang.Object`.
fn supertypes(classes: &BTreeMap<String, ClassOutline>, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![name.to_string()];
    while let Some(name) = waiting.pop() {
        if name == "java.lang.Object" || !found.insert(name.clone()) {
            continue;
        }
        if let Some(class) = classes.get(&name) {
            waiting.extend(class.super_name.iter().chain(&class.interfaces).cloned());
        }
    }
    found
}

#[cfg(test)]
mod tests;
