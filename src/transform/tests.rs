//! Tests operators and stop rules on Java classes that are compiled here.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::base::error::{ExitCode, Result};
use crate::base::id::{IdSlice, IdVec, MethodId, ModuleId};
use crate::classfile::compiled_classes::CompiledClasses;
use crate::classfile::test_javac::compile;
use crate::transform::stop::{Manual, RULES};
use crate::transform::{Constant, Selection, Transformation, Transformations, operators, plan};
use ristretto_classfile::ClassFile;
use ristretto_classfile::attributes::Attribute;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const NONE: &[&str] = &[];

fn select(names: &[&str]) -> Selection {
    Selection::new(Some(names.iter().map(ToString::to_string).collect()), Vec::new()).unwrap()
}

fn without(rules: &[&str]) -> Selection {
    Selection::new(None, rules.iter().map(ToString::to_string).collect()).unwrap()
}

fn list(folders: &IdSlice<ModuleId, PathBuf>, selection: &Selection) -> Result<Transformations> {
    super::list(&CompiledClasses::read(folders)?, selection)
}

/// `Class.method/name` of each transformation, in order.
fn made(listed: &Transformations) -> Vec<String> {
    listed
        .transformations
        .iter()
        .map(|transformation| {
            let method = &listed.methods[transformation.method];
            format!("{}.{}/{}", method.class, method.name, transformation.name)
        })
        .collect()
}

fn list_source(source: &str, selection: &Selection) -> Transformations {
    let folder = compile(&[source], NONE);
    list(&IdVec::from_vec(vec![folder.path().to_path_buf()]), selection).unwrap()
}

#[test]
fn every_transformation_applies_to_its_example() {
    let operators = operators::all().unwrap();
    let sources: Vec<String> = operators
        .iter()
        .enumerate()
        .map(|(number, operator)| format!("package p{number}; class Example {{ {} }}", operator.example))
        .collect();
    let folder = compile(&sources, NONE);
    for (number, operator) in operators.iter().enumerate() {
        let folders = IdVec::from_vec(vec![folder.path().to_path_buf()]);
        let listed = list(&folders, &select(&[operator.selector()])).unwrap();
        let class = format!("p{number}.Example.");
        assert!(
            made(&listed).iter().any(|made| made.starts_with(&class) && made.ends_with(&format!("/{}", operator.name))),
            "{}: {:?}, stopped {:?}",
            operator.name,
            made(&listed),
            listed.stopped
        );
        assert!(operator.description.ends_with('.'), "{}", operator.name);
    }
}

#[test]
fn the_default_set_is_that_of_the_study() {
    let names: Vec<String> =
        Selection::default().operators().unwrap().into_iter().map(|operator| operator.name).collect();
    assert_eq!(
        names,
        [
            "void", "null", "empty", "true", "false", "0", "1", "(short)0", "(short)1", "(byte)0", "(byte)1", "0L",
            "1L", "0.0", "1.0", "0.0f", "1.0f", "'\\40'", "'A'", "\"\"", "\"A\""
        ]
    );
}

#[test]
fn each_return_type_gets_the_constants_of_the_study() {
    let listed = list_source(
        "abstract class T { int f;
           void v() { f++; } boolean z() { return f > 0; } byte b() { return (byte) (f + 1); }
           short s() { return (short) (f + 1); } int i() { return f + 1; } long j() { return f + 1; }
           float g() { return f + 1; } double d() { return f + 1; } char c() { return (char) (f + 1); }
           String t() { return \"\" + f; } int[] a() { return new int[f]; } String[][] aa() { return new String[f][]; }
           Object o() { return new T[f]; } Integer x() { return f + 1; }
           abstract void none(); native int nativeOne(); T() { f = 3; } static { System.out.println(); } }",
        &Selection::default(),
    );
    let mut constants: BTreeMap<&str, Vec<(&str, Constant)>> = BTreeMap::new();
    for transformation in &listed.transformations {
        constants
            .entry(&listed.methods[transformation.method].name)
            .or_default()
            .push((&transformation.name, transformation.constant.clone()));
    }
    let null = ("null", Constant::Null);
    let zero_and_one = |zero, one| vec![(zero, Constant::Int(0)), (one, Constant::Int(1))];
    let expected = BTreeMap::from([
        ("v", vec![("void", Constant::Void)]),
        ("z", vec![("true", Constant::Int(1)), ("false", Constant::Int(0))]),
        ("b", zero_and_one("(byte)0", "(byte)1")),
        ("s", zero_and_one("(short)0", "(short)1")),
        ("i", zero_and_one("0", "1")),
        ("j", vec![("0L", Constant::Long(0)), ("1L", Constant::Long(1))]),
        ("g", vec![("0.0f", Constant::Float(0.0)), ("1.0f", Constant::Float(1.0))]),
        ("d", vec![("0.0", Constant::Double(0.0)), ("1.0", Constant::Double(1.0))]),
        ("c", vec![("'\\40'", Constant::Int(32)), ("'A'", Constant::Int(65))]),
        (
            "t",
            vec![null.clone(), ("\"\"", Constant::String(String::new())), ("\"A\"", Constant::String("A".to_string()))],
        ),
        ("a", vec![null.clone(), ("empty", Constant::EmptyArray("I".to_string()))]),
        ("aa", vec![null.clone(), ("empty", Constant::EmptyArray("[Ljava/lang/String;".to_string()))]),
        ("o", vec![null.clone()]),
        ("x", vec![null]),
    ]);
    assert_eq!(constants, expected);
}

#[test]
fn the_newer_transformations_return_values_that_fit_the_method() {
    let listed = list_source(
        "class T extends java.util.ArrayList<T> implements Runnable { int f; public void run() { f++; }
           T own() { return f > 0 ? null : new T(); } Runnable face() { return f > 0 ? null : new T(); }
           static T none() { return new T().own().own(); }
           String second(int a, String b, String c) { return a + c; } double d(double a, double b) { return a + b; }
           java.util.Optional<T> optional() { return java.util.Optional.of(own()); }
           java.util.stream.IntStream numbers() { return new java.util.Random().ints(); }
           java.util.Set<T> set() { return new java.util.TreeSet<>(); } StringBuilder builder() { return new StringBuilder(\"\"); }
           Character box(char c) { return c == 'x' ? 'y' : c; } }",
        &select(&["this", "argument", "optional", "empty-collection", "new", "boxed"]),
    );
    let mut constants: Vec<String> = listed
        .transformations
        .iter()
        .map(|transformation| {
            let call = match &transformation.constant {
                Constant::StaticCall { class, method, descriptor, interface } => {
                    format!("{class}.{method}{descriptor} {interface}")
                }
                Constant::Boxed { class, primitive, value } => format!("{class}({primitive}) {value:?}"),
                constant => format!("{constant:?}"),
            };
            format!("{} {}: {call}", listed.methods[transformation.method].name, transformation.name)
        })
        .collect();
    constants.sort();
    assert_eq!(
        constants,
        [
            "box 'A': java/lang/Character(C) Int(65)",
            "box '\\40': java/lang/Character(C) Int(32)",
            "builder new: New(\"java/lang/StringBuilder\")",
            "d argument: Argument(0)",
            "face this: This",
            "numbers empty-collection: java/util/stream/IntStream.empty()Ljava/util/stream/IntStream; true",
            "optional optional: java/util/Optional.empty()Ljava/util/Optional; false",
            "own this: This",
            "second argument: Argument(1)",
            "set empty-collection: java/util/Collections.emptySet()Ljava/util/Set; false",
            "set new: New(\"java/util/HashSet\")",
        ]
    );
}

#[test]
fn a_constant_that_the_body_already_returns_is_not_made() {
    let source = "class T { T f; static int length = 3;
        boolean yes() { return true; } long one() { return 1; } double minus() { return -0.0; }
        String letter() { return \"A\"; } T none() { return null; } int[] empty() { return new int[0]; }
        void nothing() { } T self() { return this; } long other(int a, long b) { return b; } static int first(int a) { return a; }
        java.util.List<T> list() { return java.util.Collections.emptyList(); } Integer box() { return 1; }
        StringBuilder fresh() { return new StringBuilder(); } }";
    let listed = list_source(source, &Selection::new(Some(vec!["all".to_string()]), vec!["all".to_string()]).unwrap());
    assert_eq!(listed.stopped, []);
    let expected = [
        "T.box/null",
        "T.box/0",
        "T.empty/null",
        "T.first/0",
        "T.first/1",
        "T.fresh/null",
        "T.letter/null",
        "T.letter/\"\"",
        "T.list/null",
        "T.list/new",
        "T.minus/0.0",
        "T.minus/1.0",
        "T.none/this",
        "T.one/0L",
        "T.other/0L",
        "T.other/1L",
        "T.self/null",
        "T.yes/false",
    ];
    assert_eq!(made(&listed), expected);
}

/// Text of each rule file, by name, and the place of its example: package and source.
fn manuals() -> Vec<(&'static str, Manual)> {
    RULES.iter().map(|rule| (rule.name, rule.manual().unwrap())).collect()
}

#[test]
fn every_stop_rule_has_its_file_and_every_file_its_rule() {
    let files: BTreeSet<String> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/stop-methods"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let rules: BTreeSet<String> = RULES.iter().map(|rule| format!("{}.toml", rule.name)).collect();
    assert_eq!(files, rules);
    assert_eq!(rules.len(), RULES.len(), "a rule is in the table twice");
    for (name, manual) in manuals() {
        for text in [&manual.stops, &manual.why] {
            assert!(text.trim_end().ends_with('.'), "{name}: {text}");
        }
        assert!(!manual.title.is_empty() && !manual.example.stopped.is_empty(), "{name}");
    }
}

#[test]
fn every_stop_rule_stops_what_its_example_says_and_nothing_else() {
    let mut groups: BTreeMap<Vec<String>, Vec<(usize, String)>> = BTreeMap::new();
    for (number, (_, manual)) in manuals().iter().enumerate() {
        let java = &manual.example.java;
        let source = if java.starts_with("package ") { java.clone() } else { format!("package p{number};\n{java}") };
        groups.entry(manual.example.javac.clone()).or_default().push((number, source));
    }
    for (options, examples) in groups {
        let sources: Vec<&String> = examples.iter().map(|(_, source)| source).collect();
        let folder = compile(&sources, &options);
        for (number, source) in examples {
            let package = source.strip_prefix("package ").unwrap().split(';').next().unwrap().replace('.', "/");
            check_example(number, folder.path(), &package);
        }
    }
}

fn check_example(number: usize, folder: &Path, package: &str) {
    let (rule, manual) = manuals().swap_remove(number);
    let of_package = folder.join(package);
    strip_lines(&of_package, &manual.example.without_lines);
    let only = tempfile::tempdir().unwrap();
    let alone = only.path().join(package);
    std::fs::create_dir_all(&alone).unwrap();
    for entry in std::fs::read_dir(&of_package).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), alone.join(entry.file_name())).unwrap();
        }
    }
    let folders = IdVec::from_vec(vec![only.path().to_path_buf()]);
    // An earlier rule may stop a method of the example first, so only this rule is asked.
    let others: Vec<&str> = RULES.iter().map(|other| other.name).filter(|other| *other != rule).collect();
    let listed = list(&folders, &without(&others)).unwrap();
    let stopped: Vec<&str> = listed.stopped.iter().map(|stopped| stopped.method.name.as_str()).collect();
    let kept: Vec<&str> = listed.methods.iter().map(|method| method.name.as_str()).collect();
    for expected in &manual.example.stopped {
        // Before JDK 15, javac made `values` without `$values`.
        assert!(stopped.contains(&expected.as_str()) || expected == "$values", "{rule} stops {expected}: {stopped:?}");
    }
    for expected in &manual.example.kept {
        assert!(kept.contains(&expected.as_str()), "{rule} keeps {expected}: {kept:?}");
    }
    for name in stopped {
        assert!(manual.example.stopped.iter().any(|expected| expected == name), "{rule} stops {name}, too");
    }
    assert!(listed.stopped.iter().all(|stopped| stopped.rule == rule), "{rule}: {:?}", listed.stopped);
    // Switched off, the rule stops nothing.
    let names: Vec<&str> = RULES.iter().map(|other| other.name).collect();
    assert_eq!(list(&folders, &without(&names)).unwrap().stopped, [], "{rule}");
}

/// Removes the line numbers of the methods of these names, as class-file tools leave them that add
/// methods.
fn strip_lines(folder: &Path, methods: &[String]) {
    if methods.is_empty() {
        return;
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let mut class = ClassFile::from_bytes(&std::fs::read(&file).unwrap()).unwrap();
        for method in &mut class.methods {
            let name = class.constant_pool.try_get_utf8(method.name_index).unwrap().to_rust_string();
            for attribute in &mut method.attributes {
                if let (true, Attribute::Code { attributes, .. }) = (methods.contains(&name), attribute) {
                    attributes.retain(|attribute| !matches!(attribute, Attribute::LineNumberTable { .. }));
                }
            }
        }
        let mut bytes = Vec::new();
        class.to_bytes(&mut bytes).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
}

#[test]
fn do_not_mutate_applies_to_classes_packages_and_lambdas_and_the_innermost_decides() {
    let folder = compile(
        &[
            "@org.DoNotMutate package quiet;",
            "package quiet; class A { int f; int a() { return f + 1; }
               @org.DoNotMutate(operators = {\"0\", \"1\"}) int both() { return f + 2; }
               @org.DoNotMutate(operators = \"0\") int one() { return f + 2; } }",
            "package org; public @interface DoNotMutate { String[] operators() default {}; }",
            "package loud; @org.DoNotMutate class B { int f; int b() { return f + 1; } }
             class C { int f; @org.DoNotMutate Runnable c() { f++; return () -> { Runnable r = () -> { f++; }; r.run(); r.run(); }; }
               Runnable d() { f++; return () -> { f--; }; } }",
        ],
        NONE,
    );
    let listed = list(&IdVec::from_vec(vec![folder.path().to_path_buf()]), &Selection::default()).unwrap();
    assert_eq!(made(&listed), ["loud.C.d/null", "loud.C.lambda$d$2/void", "quiet.A.one/1"]);
    assert!(listed.stopped.iter().all(|stopped| stopped.rule == "do-not-mutate"), "{:?}", listed.stopped);
    assert_eq!(listed.stopped.len(), 6);
}

#[test]
fn do_not_mutate_on_a_class_or_method_applies_to_the_classes_inside() {
    let folder = compile(
        &[
            "package org; public @interface DoNotMutate { String[] operators() default {}; }",
            "package a; @org.DoNotMutate class Outer { static class Inner { int f; int a() { return f + 1; }
               class Deep { int b() { return f + 1; } @org.DoNotMutate(operators = \"0\") int one() { return f + 2; } } } }
             class Other { int f; @org.DoNotMutate Runnable c() { f++; return new Runnable() { public void run() { f++; } }; }
               Runnable d() { f++; class Local implements Runnable { public void run() { f++; } } return new Local(); } }",
        ],
        NONE,
    );
    let listed = list(&IdVec::from_vec(vec![folder.path().to_path_buf()]), &Selection::default()).unwrap();
    assert_eq!(made(&listed), ["a.Other.d/null", "a.Other$1Local.run/void", "a.Outer$Inner$Deep.one/1"]);
    assert!(listed.stopped.iter().all(|stopped| stopped.rule == "do-not-mutate"), "{:?}", listed.stopped);
    assert_eq!(listed.stopped.len(), 4);
}

#[test]
fn any_form_of_do_not_mutate_may_name_transformations_or_give_a_reason() {
    let folder = compile(
        &[
            "package one; public @interface DoNotMutate { String value() default \"\"; String reason() default \"\"; }",
            "package two; public @interface DoNotMutate { Which[] transformations() default {}; enum Which { NULL, EMPTY, BOXED } }",
            "package three; public class Marks { public @interface DoNotMutate { String[] mutators() default {}; } }",
            "class A { int f;
               @one.DoNotMutate(\"0\") int named() { return f + 1; }
               @one.DoNotMutate(\"only logging\") int whole() { return f + 1; }
               @one.DoNotMutate(\"logging\") int word() { return f + 1; }
               @one.DoNotMutate(reason = \"null\") Object because() { return f + \"x\" + f; }
               @two.DoNotMutate(transformations = two.DoNotMutate.Which.EMPTY) int[] array() { return new int[f]; }
               @two.DoNotMutate(transformations = {two.DoNotMutate.Which.BOXED, two.DoNotMutate.Which.NULL}) Integer box() { return f + 1; }
               @three.Marks.DoNotMutate(mutators = {\"true\", \"0\"}) boolean flag() { return f > 0; }
               @three.Marks.DoNotMutate(mutators = \"tru\") boolean wrong() { return f > 0; }
               @three.Marks.DoNotMutate void all() { f++; f++; } }",
        ],
        NONE,
    );
    let selection = Selection::new(Some(vec!["default".into(), "boxed".into()]), Vec::new()).unwrap();
    let listed = list(&IdVec::from_vec(vec![folder.path().to_path_buf()]), &selection).unwrap();
    assert_eq!(made(&listed), ["A.array/null", "A.flag/false", "A.named/1", "A.wrong/true", "A.wrong/false"]);
    let of_a = listed.stopped.iter().filter(|stopped| stopped.method.class == "A");
    let mut stopped: Vec<&str> = of_a.map(|stopped| stopped.method.name.as_str()).collect();
    stopped.sort_unstable();
    assert_eq!(stopped, ["all", "because", "box", "whole", "word"]);
}

#[test]
fn a_type_annotation_on_the_return_type_counts_as_not_null_but_not_one_on_its_parts() {
    let listed = list_source(
        "import java.lang.annotation.*; class T { @Target(ElementType.TYPE_USE) @interface NotNull {}
           Object f; @NotNull Object a() { return f.toString() + 1; } @NotNull Object[] b() { return new Object[] { f }; }
           java.util.List<@NotNull String> c() { return java.util.Arrays.asList(\"a\", \"b\"); } }",
        &Selection::default(),
    );
    assert_eq!(made(&listed), ["T.b/null", "T.b/empty", "T.c/null"]);
    assert_eq!(listed.stopped.len(), 1);
    assert_eq!(listed.stopped[0].rule, "not-null");
}

#[test]
fn tests_see_the_first_of_two_equal_classes_on_their_class_path_and_no_version_for_other_releases() {
    let first = compile(&["class A { int f; int a() { return f + 1; } }"], NONE);
    let second = compile(&["class A { int f; int b() { return f + 1; } } class B { int f; void b() { f++; } }"], NONE);
    let versions = first.path().join("META-INF/versions/9");
    std::fs::create_dir_all(&versions).unwrap();
    std::fs::copy(second.path().join("B.class"), versions.join("Z.class")).unwrap();
    let folders = IdVec::from_vec(vec![first.path().to_path_buf(), second.path().to_path_buf()]);
    let listed = list(&folders, &Selection::default()).unwrap();
    assert_eq!(made(&listed), ["A.a/0", "A.a/1", "A.b/0", "A.b/1", "B.b/void"]);
    let woven = |modules: &[u32]| -> Vec<String> {
        let plan = plan::plan(&listed, &BTreeSet::new(), &modules.iter().copied().map(ModuleId).collect::<Vec<_>>());
        plan.iter()
            .flat_map(|(class, weave)| weave.methods.iter().map(move |m| format!("{class}.{}", m.name)))
            .collect()
    };
    assert_eq!(woven(&[0, 1]), ["A.a", "B.b"]);
    assert_eq!(woven(&[1, 0]), ["A.b", "B.b"]);
    assert_eq!(woven(&[0]), ["A.a"]);
    assert_eq!(listed.id(&listed.transformations[0]), "A.a()I/0");
    assert_eq!(listed.methods[0].source_file.as_deref(), Some("Source.java"));
    assert_eq!(listed.methods[0].line, Some(1));
}

#[test]
fn a_method_that_has_no_room_for_a_guard_is_named_with_the_reason() {
    // Ten bytes of code for each increment, and 65,535 at most.
    let large = format!(
        "class A {{ int f; int large() {{ {} return f; }} int small() {{ return f + 1; }} }}",
        "f++;".repeat(6552)
    );
    let listed = list_source(&large, &Selection::default());
    let names: Vec<&str> = listed.unweavable.keys().map(|id| listed.methods[*id].name.as_str()).collect();
    assert_eq!(names, ["large"]);
    let reason = listed.unweavable.values().next().unwrap();
    assert!(reason.starts_with("The method could not be changed: with the code that reneri weaves in"), "{reason}");
    assert!(made(&listed).contains(&"A.large/0".to_owned()), "it is listed, and has no verdict");
}

#[test]
fn a_broken_class_file_is_left_out_and_the_others_are_not() {
    let folder =
        compile(&["class A { int f; int a() { return f + 1; } } class B { int f; int b() { return f + 1; } }"], NONE);
    let file = folder.path().join("A.class");
    let whole = std::fs::read(&file).unwrap();
    let mut wrong_index = whole.clone();
    // this_class follows the constant pool; any change of the constants before it makes some index
    // wrong.
    wrong_index[10] = 99;
    for bytes in [&whole[..whole.len() / 2], &wrong_index, b"", b"\xca\xfe\xba\xbe", b"hello, I am no class"] {
        std::fs::write(&file, bytes).unwrap();
        let classes = CompiledClasses::read(&IdVec::from_vec(vec![folder.path().to_path_buf()])).unwrap();
        assert_eq!(classes.broken().iter().map(|broken| &broken.file).collect::<Vec<_>>(), [&file]);
        assert_eq!(made(&super::list(&classes, &select(&["0"])).unwrap()), ["B.b/0"]);
    }
}

#[test]
fn an_unknown_name_is_an_error_that_gives_the_nearest_one() {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let error = Selection::new(Some(names(&["void", "emty"])), vec![]).unwrap_err();
    assert_eq!(error.exit_code, ExitCode::Usage);
    assert_eq!(error.what, "There is no transformation `emty`.");
    assert!(error.next.starts_with("Did you mean `empty`?"), "{error}");
    let error = Selection::new(None, names(&["to_string"])).unwrap_err();
    assert_eq!(error.what, "There is no stop rule `to_string`.");
    assert!(error.next.starts_with("Did you mean `to-string`?"), "{error}");
    assert!(Selection::new(Some(vec![]), vec![]).is_err());
}

#[test]
fn a_class_file_with_any_changed_byte_is_read_or_refused_without_a_panic() {
    let folder = compile(
        &["import java.util.function.*; class A<T> { @Deprecated int f; static final String S = \"s\";
           int a(int b, long[] c) { f = b; for (long x : c) f += x; return f; }
           Supplier<String> s() { try { return () -> S + f; } finally { f = 0; } }
           String t(int k) { switch (k) { case 1: return \"a\"; default: throw new IllegalStateException(S); } } }"],
        NONE,
    );
    let whole = std::fs::read(folder.path().join("A.class")).unwrap();
    let mut read = 0;
    for position in 0..whole.len() {
        for change in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[position] ^= change;
            let Ok(class) = ClassFile::from_bytes(&bytes) else { continue };
            let facts = crate::transform::candidate::facts(&class);
            let candidates = facts.and_then(|facts| {
                crate::transform::candidate::candidates(&class, &facts).map(|candidates| candidates.len())
            });
            let outline = crate::classfile::outline::of(&class);
            read += usize::from(candidates.is_ok() && outline.is_ok());
        }
    }
    assert!(read > 0);
}

#[test]
fn each_method_is_in_exactly_one_part() {
    // Transformations of each method.
    let counts = [2, 1, 1, 3, 2, 1, 2];
    let transformation =
        |method| Transformation { method: MethodId(method), name: String::new(), constant: Constant::Null };
    let transformations = (0..).zip(counts).flat_map(|(method, count)| vec![transformation(method); count]).collect();
    let all = Transformations { transformations, ..Transformations::default() };
    for of in 1..=20 {
        let parts: Vec<Vec<MethodId>> = (1..=of)
            .map(|number| all.part(number, of).transformations.iter().map(|one| one.method).collect())
            .collect();
        let methods: Vec<MethodId> = parts.concat();
        assert_eq!(methods, all.transformations.iter().map(|one| one.method).collect::<Vec<_>>(), "{of}");
        for (number, part) in parts.iter().enumerate() {
            assert!(parts.iter().skip(number + 1).flatten().all(|method| !part.contains(method)), "{parts:?}");
        }
    }
    let lengths = |of: usize| (1..=of).map(|number| all.part(number, of).transformations.len()).collect::<Vec<_>>();
    assert_eq!(lengths(3), [4, 5, 3]);
}
