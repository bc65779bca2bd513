//! Outlines of small projects, which the tests compile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::Outlines;
use crate::classfile::names::Member;
use crate::classfile::test_javac::compile;

fn read(sources: &[&str]) -> Outlines {
    let folder = compile(sources, &["-Xlint:none"]);
    Outlines::read(folder.path()).unwrap()
}

fn member(text: &str) -> Member {
    let (owner, rest) = text.split_once('#').unwrap();
    let (name, descriptor) = rest.split_at(rest.find('(').unwrap());
    Member { owner: owner.to_string(), name: name.to_string(), descriptor: descriptor.to_string() }
}

fn short(member: &Member) -> String {
    format!("{}#{}", member.owner.rsplit('.').next().unwrap(), member.name)
}

fn accessors(outlines: &Outlines, owner: &str, field: &str, from: &str) -> Vec<String> {
    outlines.accessors_of(owner, field, from).iter().map(|accessor| short(&accessor.method)).collect()
}

/// The chain of each caller, `first > … > last`.
fn callers(outlines: &Outlines, method: &str, from: &str) -> Vec<String> {
    let chains = outlines.callers_of(&member(method), from);
    chains.iter().map(|caller| caller.chain.iter().map(short).collect::<Vec<_>>().join(" > ")).collect()
}

#[test]
fn access_depends_on_all_enclosing_classes_and_on_the_package() {
    let outlines = read(&["package a; public abstract class A { public A() { } public void all() { }
          protected void family() { } void near() { } private void own() { }
          public static class In { public In() { } public void all() { } private static class Deep { public void all() { } public int hashCode() { return 1; } } }
          static class Near { public void all() { } }
          Runnable local() { return new Runnable() { public void run() { class L { public void all() { } public int hashCode() { return 1; } } } }; }
          Runnable lambda() { return () -> { }; } }"]);
    let accessible = |method: &str| {
        let from = |package: &str| outlines.accessible(&member(method), package);
        (from("a"), from("b"))
    };
    assert_eq!(accessible("a.A#all()V"), (true, true));
    assert_eq!(accessible("a.A#family()V"), (true, false));
    assert_eq!(accessible("a.A#near()V"), (true, false));
    assert_eq!(accessible("a.A#own()V"), (false, false));
    assert_eq!(accessible("a.A#<init>()V"), (false, false));
    assert_eq!(accessible("a.A$In#<init>()V"), (true, true));
    assert_eq!(accessible("a.A$In#all()V"), (true, true));
    assert_eq!(accessible("a.A$Near#all()V"), (true, false));
    assert_eq!(accessible("a.A$In$Deep#all()V"), (false, false));
    assert_eq!(accessible("a.A$In$Deep#hashCode()I"), (true, true), "of any object");
    assert_eq!(accessible("a.A$1L#hashCode()I"), (false, false));
    assert_eq!(accessible("a.A$1#run()V"), (false, false));
    assert_eq!(accessible("a.A$1L#all()V"), (false, false));
    assert_eq!(accessible("a.A#lambda$lambda$0()V"), (false, false));
    assert_eq!(accessible("a.A#missing()V"), (false, false));
}

#[test]
fn the_nearest_superclass_that_can_be_named_stands_for_a_hidden_class() {
    let outlines = read(&["package a; public class A { public static class Known extends RuntimeException { }
          private static class Hidden extends Known { } static class Near extends Known { }
          private static class Alone extends IllegalStateException { } }"]);
    let names = |class: &str| ["a", "b"].map(|package| outlines.nameable(class, package).to_owned());
    assert_eq!(names("a.A$Hidden"), ["a.A$Known", "a.A$Known"]);
    assert_eq!(names("a.A$Near"), ["a.A$Near", "a.A$Known"]);
    assert_eq!(names("a.A$Alone"), ["java.lang.IllegalStateException", "java.lang.IllegalStateException"]);
    assert_eq!(names("java.io.IOException"), ["java.io.IOException", "java.io.IOException"]);
}

#[test]
fn accessors_write_no_field_and_come_best_first() {
    let outlines = read(&[
        "package a; public class Stack { private int size; private int changes;
          public int size() { return size; } public boolean isEmpty() { return size() == 0; }
          public int capacity(int factor) { return size * factor; } int near() { return size; }
          private int own() { return size; } public int ofOwn() { return own() + 1; }
          public int twoFields() { return size + changes; } public void print() { System.out.println(size); }
          public int counting() { changes++; return size; } public String toString() { return \"\" + size; }
          public int resizing() { return resized(); } private int resized() { changes++; return size; } }",
        "package b; public class Sub extends a.Stack { public int twice() { return 2 * size(); } }",
        "package b; public class Other { public int other(a.Stack stack) { return stack.size(); } }",
    ]);
    let public = [
        "Stack#size",
        "Stack#twoFields",
        "Stack#toString",
        "Stack#isEmpty",
        "Stack#ofOwn",
        "Sub#twice",
        "Stack#capacity",
    ];
    assert_eq!(accessors(&outlines, "a.Stack", "size", "b"), public);
    // Through the name of a subclass it is the same field.
    assert_eq!(accessors(&outlines, "b.Sub", "size", "b"), public);
    assert_eq!(accessors(&outlines, "a.Stack", "size", "a"), [&public[..], &["Stack#near"]].concat());
    assert_eq!(accessors(&outlines, "a.Stack", "missing", "a"), [""; 0]);
}

#[test]
fn a_field_of_a_nested_class_has_accessors_in_the_enclosing_class() {
    let outlines = read(&["package a; public class Chain { private Node first;
          private static class Node { private int value; int get() { return value; } }
          public int direct() { return first.value; } public int indirect() { return first.get(); } }"]);
    assert_eq!(accessors(&outlines, "a.Chain$Node", "value", "b"), ["Chain#direct", "Chain#indirect"]);
}

#[test]
fn callers_are_the_nearest_accessible_methods_with_their_chains() {
    let outlines = read(&["package a; public class Parser {
          public void parse() { start(); } public void restart() { start(); start(); }
          void again() { next(); } private void start() { next(); next(); } private void next() { start(); }
          public void above() { parse(); } private static int unused() { return 1; } }"]);
    assert_eq!(
        callers(&outlines, "a.Parser#next()V", "a"),
        [
            "Parser#again > Parser#next",
            "Parser#parse > Parser#start > Parser#next",
            "Parser#restart > Parser#start > Parser#next",
        ]
    );
    assert_eq!(
        callers(&outlines, "a.Parser#start()V", "b"),
        ["Parser#parse > Parser#start", "Parser#restart > Parser#start",]
    );
    assert_eq!(callers(&outlines, "a.Parser#unused()I", "a"), [""; 0]);
}

#[test]
fn calls_through_supertypes_arrive_at_overriding_and_inherited_methods() {
    let outlines = read(&["package a; interface Shape { double area(); default double twice() { return 2 * area(); } }
          abstract class Base implements Shape { double scale(int k) { return k; } private double secret() { return 1; } }
          class Circle extends Base { public double area() { return 3; } double ownScale() { return scale(2); } double superScale() { return super.scale(1); } }
          class Square extends Base { public double area() { return 4; } double scale(int k) { return super.scale(k) + 1; } }
          class Use { double shape(Shape s) { return s.area(); } double circle(Circle c) { return c.area(); }
            double base(Base b) { return b.scale(1); } double square(Square s) { return s.scale(1); }
            double twice(Circle c) { return c.twice(); } boolean same(Object a, Object b) { return a.equals(b); } }
          class Point { public boolean equals(Object other) { return other instanceof Point; } }"]);
    assert_eq!(
        callers(&outlines, "a.Circle#area()D", "a"),
        ["Shape#twice > Circle#area", "Use#circle > Circle#area", "Use#shape > Circle#area",]
    );
    assert_eq!(callers(&outlines, "a.Square#area()D", "a"), ["Shape#twice > Square#area", "Use#shape > Square#area"]);
    assert_eq!(
        callers(&outlines, "a.Base#scale(I)D", "a"),
        [
            "Circle#ownScale > Base#scale",
            "Circle#superScale > Base#scale",
            "Square#scale > Base#scale",
            "Use#base > Base#scale",
        ]
    );
    assert_eq!(callers(&outlines, "a.Square#scale(I)D", "a"), ["Use#base > Square#scale", "Use#square > Square#scale"]);
    assert_eq!(callers(&outlines, "a.Shape#twice()D", "a"), ["Use#twice > Shape#twice"]);
    assert_eq!(callers(&outlines, "a.Point#equals(Ljava/lang/Object;)Z", "a"), [""; 0]);
}

#[test]
fn chains_pass_through_synthetic_methods_without_showing_them() {
    let outlines = read(&["package a; class Word implements Comparable<Word> { private int rank;
          public int compareTo(Word other) { return rank - other.rank; }
          private static int order(Comparable<Word> one, Word other) { return one.compareTo(other); }
          static int use(Word one) { return order(one, one); }
          private void hidden() { } Runnable deferred() { return () -> { Runnable r = this::hidden; r.run(); }; } }"]);
    assert_eq!(callers(&outlines, "a.Word#compareTo(La/Word;)I", "a"), ["Word#use > Word#order > Word#compareTo"]);
    assert_eq!(callers(&outlines, "a.Word#hidden()V", "a"), ["Word#deferred > Word#hidden"]);
}

#[test]
fn an_outline_has_the_uses_and_lines_of_each_method() {
    let outlines = read(&[
        "package a;\nclass A {\n  int f; static long g;\n  int m(int p) {\n    f = p;\n    g++;\n    return hashCode();\n  }\n}",
    ]);
    let class = outlines.class("a.A").unwrap();
    assert_eq!(class.super_name.as_deref(), Some("java.lang.Object"));
    assert_eq!(class.source_file.as_deref(), Some("Source.java"));
    assert_eq!(class.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["f", "g"]);
    let method = class.method("m", "(I)I").unwrap();
    assert_eq!((method.first_line, method.last_line), (Some(5), Some(7)));
    assert_eq!((method.returned.as_str(), method.parameters), ("I", 1));
    assert_eq!(method.reads.iter().map(short).collect::<Vec<_>>(), ["A#g"]);
    assert_eq!(method.writes.iter().map(short).collect::<Vec<_>>(), ["A#f", "A#g"]);
    assert_eq!(method.calls.iter().map(|call| short(&call.to)).collect::<Vec<_>>(), ["Object#hashCode"]);
    assert_eq!(outlines.classes().count(), 1);
}

#[test]
fn an_outline_of_other_bytes_is_an_error() {
    assert!(super::outline::outline(b"hello").is_err());
}

#[test]
fn an_outline_has_the_constants_and_declared_exceptions_of_a_method() {
    let outlines = read(&[
        "package a; public class A { int kind(String s, int i) throws java.io.IOException {
          switch (i) { case 'x': return 1; case 40000: return 2; default: return s.equals(\"milk\") ? 70000 : 0; } } }",
    ]);
    let method = outlines.method(&member("a.A#kind(Ljava/lang/String;I)I")).unwrap();
    assert_eq!(method.texts, ["milk"]);
    assert_eq!(method.numbers, [2, 120, 40_000, 70_000]);
    assert_eq!(method.throws, ["java.io.IOException"]);
}
