//! The probes of each construct: each row is a member of a class, and the same member with its
//! probes, `p(…)` for short.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::ExpressionKind;
use super::finder::places;
use super::names::Certainty;
use super::place::{Place, SourcePlaces};
use super::weave::weave;

/// The instrumented text of a class with this member. As without javac, likelihood decides if a
/// place may be no value.
fn instrumented(member: &str) -> String {
    let head = "class C extends B { ";
    let source = format!("{head}{member} }}");
    let found = places(&source).unwrap();
    assert!(found.unreadable.is_empty(), "not read: {member}");
    let chosen = likely(&found);
    let woven = weave(&source, &chosen, 0).text;
    let mut short = woven[head.len()..woven.len() - 2].to_owned();
    for number in (0..chosen.len()).rev() {
        short = short.replace(&format!("reneri.rt.Probe.p({number}, "), "p(");
        short = short.replace(&format!("reneri.rt.Probe.caught({number}, "), "caught(");
        short = short.replace(&format!("reneri.rt.Probe.<java.lang.RuntimeException>leaving({number}, "), "leaving(");
    }
    short
}

fn likely(found: &SourcePlaces) -> Vec<&Place> {
    found.places.iter().filter(|place| place.certainty != Certainty::PerhapsType).collect()
}

#[track_caller]
fn probes(rows: &[(&str, &str)]) {
    for (member, expected) in rows {
        assert_eq!(instrumented(member), *expected, "\nof {member}");
        assert_eq!(instrumented(member).lines().count(), member.lines().count());
    }
}

#[test]
fn every_value_is_probed_including_nested_ones() {
    probes(&[
        ("int m(int a) { return a + f(a, 1); }", "int m(int a) { return p(p(a) + p(f(p(a), 1))); }"),
        ("int m() { return (a - b) * -c; }", "int m() { return p((p(p(a) - p(b))) * p(-p(c))); }"),
        ("boolean m() { return !a && b || c; }", "boolean m() { return p(p(p(!p(a)) && p(b)) || p(c)); }"),
        ("int m() { return a ? b : c; }", "int m() { return p(p(a) ? p(b) : p(c)); }"),
        ("Object m() { return (T) f(); }", "Object m() { return p((T) p(f())); }"),
        ("String m() { return \"a\" + b + 'c' + d; }", "String m() { return p(\"a\" + p(b) + 'c' + p(d)); }"),
        ("char m(char c) { return (char) (c + 1); }", "char m(char c) { return p((char) (p(p(c) + 1))); }"),
        ("int m() { return super.x + super.f(); }", "int m() { return p(p(super.x) + p(super.f())); }"),
        ("boolean m(Object o) { return o instanceof T; }", "boolean m(Object o) { return p(p(o) instanceof T); }"),
    ]);
}

#[test]
fn constants_of_literals_are_not_probed() {
    probes(&[
        ("byte b = 5;", "byte b = 5;"),
        ("int[] i = {1, -2, (3 + 4)};", "int[] i = {1, -2, (3 + 4)};"),
        ("Object o = null;", "Object o = null;"),
        ("Class<?> c = C.class;", "Class<?> c = C.class;"),
        ("static final int A = 1 << 4;", "static final int A = 1 << 4;"),
        ("static final int B = A + 1;", "static final int B = p(A + 1);"),
        ("static final List<T> L = f();", "static final List<T> L = p(f());"),
        ("String s = \"\"\"\n  a \\\n  \"b\" \"\"\";", "String s = \"\"\"\n  a \\\n  \"b\" \"\"\";"),
    ]);
}

#[test]
fn targets_of_assignments_are_not_probed_but_expressions_inside_them_are() {
    probes(&[
        ("void m() { a = b; }", "void m() { a = p(b); }"),
        ("void m() { a[i] = b[j]; }", "void m() { a[p(i)] = p(p(b)[p(j)]); }"),
        ("void m() { a.b = c; f().b = c; }", "void m() { a.b = p(c); p(f()).b = p(c); }"),
        ("void m() { a += b; a++; --a[i]; }", "void m() { a += p(b); a++; --a[p(i)]; }"),
        ("void m() { f(a++, a = b, a += b); }", "void m() { p(f(p(a++), a = p(b), p(a += p(b)))); }"),
    ]);
}

#[test]
fn types_packages_and_streams_of_the_jdk_are_not_probed_before_a_dot() {
    probes(&[
        ("Object m() { return Foo.bar(); }", "Object m() { return p(Foo.bar()); }"),
        ("Object m() { return java.util.List.of(); }", "Object m() { return p(java.util.List.of()); }"),
        ("Object m() { return Outer.Inner.f(); }", "Object m() { return p(Outer.Inner.f()); }"),
        ("Object m() { return FOO.bar(); }", "Object m() { return p(p(FOO).bar()); }"),
        ("Object m() { return Foo.BAR.baz(); }", "Object m() { return p(p(Foo.BAR).baz()); }"),
        ("Object m() { return a.b.c(); }", "Object m() { return p(p(p(a).b).c()); }"),
        ("Object m(Object Odd) { return Odd.f(); }", "Object m(Object Odd) { return p(p(Odd).f()); }"),
        ("Object m() { return C.this.f(); }", "Object m() { return p(C.this.f()); }"),
        ("Object m() { return I.super.f(); }", "Object m() { return p(I.super.f()); }"),
        ("void m() { System.out.println(a); }", "void m() { p(System.out.println(p(a))); }"),
    ]);
}

#[test]
fn statements_are_probed_when_they_are_calls() {
    probes(&[
        ("void m() { a.add(1); new T(); }", "void m() { p(p(a).add(1)); p(new T()); }"),
        ("void m() { for (f(); g(i); i++, h()) { } }", "void m() { for (p(f()); p(g(p(i))); i++, p(h())) { } }"),
        ("void m() { l: while (f()) { continue l; } }", "void m() { l: while (p(f())) { continue l; } }"),
        ("void m() { for (T t : ts) f(t); }", "void m() { for (T t : p(ts)) p(f(p(t))); }"),
        ("void m() { assert a : b; throw e; }", "void m() { assert p(a) : p(b); throw e; }"),
        ("void m() { throw new E(a); }", "void m() { throw p(new E(p(a))); }"),
        (
            "void m() { synchronized (a) { do f(); while (b); } }",
            "void m() { synchronized (p(a)) { do p(f()); while (p(b)); } }",
        ),
    ]);
}

#[test]
fn chains_of_assertion_and_mocking_libraries_are_probed_in_their_arguments_only() {
    probes(&[
        ("void m() { assertThat(f()).isEqualTo(a); }", "void m() { assertThat(p(f())).isEqualTo(p(a)); }"),
        ("void m() { verify(a).f(b); }", "void m() { verify(p(a)).f(p(b)); }"),
        ("void m() { when(a.f()).thenReturn(b); }", "void m() { when(p(p(a).f())).thenReturn(p(b)); }"),
        ("void m() { assertThrows(E.class, a); }", "void m() { p(assertThrows(E.class, p(a))); }"),
    ]);
}

#[test]
fn lambdas_are_probed_inside() {
    probes(&[
        ("Object m() { return f(x -> x + 1); }", "Object m() { return p(f(x -> p(p(x) + 1))); }"),
        ("Object m() { return f((x, y) -> { g(x); }); }", "Object m() { return p(f((x, y) -> { p(g(p(x))); })); }"),
        ("Runnable r = () -> f();", "Runnable r = () -> p(f());"),
        ("Object m() { return f(T::new, a::b, g()::h); }", "Object m() { return p(f(T::new, a::b, p(g())::h)); }"),
    ]);
}

#[test]
fn objects_and_arrays_are_probed_with_their_parts() {
    probes(&[
        ("Object m() { return new T<>(a, b); }", "Object m() { return p(new T<>(p(a), p(b))); }"),
        ("Object m() { return new int[n][]; }", "Object m() { return p(new int[p(n)][]); }"),
        ("Object m() { return new T[] {a, f()}; }", "Object m() { return p(new T[] {p(a), p(f())}); }"),
        ("int[][] x = {{a}, {1}};", "int[][] x = {{p(a)}, {1}};"),
        ("Object m() { return a.new T(); }", "Object m() { return p(p(a).new T()); }"),
        (
            "Object m() { return new T(a) { int x = y; int f() { return x; } }; }",
            "Object m() { return p(new T(p(a)) { int x = p(y); int f() { return p(x); } }); }",
        ),
        ("class N<T extends Number> { T t = f(); }", "class N<T extends Number> { T t = p(f()); }"),
        (
            "record R(int a) { R { f(a); } int b() { return a; } }",
            "record R(int a) { R { p(f(p(a))); } int b() { return p(a); } }",
        ),
        (
            "enum E { A(x), B(f()) { int g() { return y; } }; }",
            "enum E { A(p(x)), B(p(f())) { int g() { return p(y); } }; }",
        ),
        ("C(int a) { this(a, f()); }", "C(int a) { this(p(a), p(f())); }"),
    ]);
}

#[test]
fn arguments_with_anonymous_classes_are_not_probed_beside_others_so_that_the_classes_keep_their_names() {
    probes(&[
        ("void m() { a.f(new T() { }); }", "void m() { p(p(a).f(p(new T() { }))); }"),
        ("void m() { a.f(new T() { }).g(new T() { }); }", "void m() { p(p(p(a).f(p(new T() { }))).g(new T() { })); }"),
    ]);
}

#[test]
fn case_labels_are_not_probed_and_arms_are() {
    probes(&[
        (
            "void m() { switch (a) { case A: case 1 + 2: f(); break; default: g(); } }",
            "void m() { switch (p(a)) { case A: case 1 + 2: p(f()); break; default: p(g()); } }",
        ),
        (
            "int m() { return switch (a) { case A, B -> f(); case C -> { yield b; } default -> 1; }; }",
            "int m() { return p(switch (p(a)) { case A, B -> p(f()); case C -> { yield p(b); } default -> 1; }); }",
        ),
        (
            "void m() { switch (a) { case A -> f(); default -> { } } }",
            "void m() { switch (p(a)) { case A -> p(f()); default -> { } } }",
        ),
        (
            "int m() { return switch (o) { case T t when t.f() -> 1; case R(int x) -> x; default -> 2; }; }",
            "int m() { return p(switch (p(o)) { case T t when p(p(t).f()) -> 1; case R(int x) -> p(x); default -> 2; }); }",
        ),
    ]);
}

#[test]
fn probes_do_not_hide_from_javac_what_a_condition_implies() {
    probes(&[
        (
            "boolean m() { return o instanceof T t && t.f(); }",
            "boolean m() { return p(o) instanceof T t && p(p(t).f()); }",
        ),
        (
            "void m() { if (!(o instanceof T t)) return; f(t); }",
            "void m() { if (!(p(o) instanceof T t)) return; p(f(p(t))); }",
        ),
        (
            "void m() { int n; if (a && (n = f()) > 0) g(n); }",
            "void m() { int n; if (p(a) && p((n = p(f())) > 0)) p(g(p(n))); }",
        ),
        ("void m() { while ((s = r.f()) != null) { } }", "void m() { while (p((s = p(p(r).f())) != null)) { } }"),
        ("void m() { while (true) { } }", "void m() { while (true) { } }"),
    ]);
}

#[test]
fn annotations_and_declarations_are_not_probed() {
    probes(&[
        ("@A(x + 1) void m(@B(y) int z) { }", "@A(x + 1) void m(@B(y) int z) { }"),
        ("@interface I { int a() default x; }", "@interface I { int a() default x; }"),
        (
            "void m() { try (T t = f(); u; v.w) { g(t); } finally { h(); } }",
            "void m() { try (T t = p(f()); u; v.w) { p(g(p(t))); } finally { p(h()); } }",
        ),
        ("void m(T... ts) { f(ts); }", "void m(T... ts) { p(f(p(ts))); }"),
    ]);
}

#[test]
fn caught_exceptions_are_reported_first_in_their_block() {
    probes(&[
        (
            "void m() { try { f(); } catch (A | B e) { g(e); } catch (final Exception e) {} }",
            "void m() { try { p(f()); } catch (A | B e) {caught(e); p(g(p(e))); } catch (final Exception e) {caught(e);} }",
        ),
        ("void m() { try { a = 1; } catch (A _) { } }", "void m() { try { a = 1; } catch (A _) { } }"),
    ]);
}

#[test]
fn test_methods_report_exceptions_that_leave_them() {
    let leaving = |inside: &str| {
        format!("{{try {{{inside}}} catch (java.lang.Throwable reneri$thrown) {{ throw leaving(reneri$thrown); }}}}")
    };
    probes(&[
        (
            "@Test(expected = E.class) public void a() { f(); }",
            &format!("@Test(expected = E.class) public void a() {}", leaving(" p(f()); ")),
        ),
        (
            "@org.junit.jupiter.params.ParameterizedTest void a(int i) {}",
            &format!("@org.junit.jupiter.params.ParameterizedTest void a(int i) {}", leaving("")),
        ),
        ("public void testIt() { // end\n}", &format!("public void testIt() {}", leaving(" // end\n"))),
        ("private void testIt() { }", "private void testIt() { }"),
        ("public int testIt() { return 1; }", "public int testIt() { return 1; }"),
        ("@Before public void before() { }", "@Before public void before() { }"),
    ]);
}

/// The variables of a class that may be evaluated more than once, by one test or by several, in
/// order.
fn again(class: &str) -> String {
    let found = places(class).unwrap();
    let names = likely(&found).into_iter().filter(|place| place.bare_name && place.repeats);
    names.map(|place| &class[place.start..place.end]).collect::<Vec<_>>().join(" ")
}

#[test]
fn expressions_repeat_in_loops_lambdas_and_classes_of_a_test_but_not_around_them() {
    for (body, expected) in [
        ("x = a; if (b) { f(c); } try { g(d); } catch (E e) { h(i); } switch (j) { case 1: f(k); }", ""),
        ("for (int i = a; b; f(c)) { g(d); } h(x);", "b c d"),
        ("for (f(a); ; ) g(b);", "b"),
        ("for (T t : a) { f(t); } g(b);", "t"),
        ("while (a) f(b); g(c);", "a b"),
        ("do { f(a); } while (b); g(c);", "a b"),
        ("for (T t : a) { f(t); if (b) break; } try { g(c); } finally { h(d); }", "t b"),
        ("while (true) { try { f(); } catch (E e) { } }", "e"),
        ("f(a, x -> x + b, () -> { g(c); }); h(d);", "x b c"),
        ("f(new T(a) { int i = b; { g(c); } void m() { h(d); } @Test public void t() { k(e); } }); l(x);", "b c d t e"),
        ("class L { void m() { f(a); } } g(b);", "a"),
        ("assertThrows(E.class, () -> f(a)); assertAll(() -> { g(b); });", ""),
        ("assertThrows(E.class, () -> { for (T t : a) f(t); }); assertTrue(b.any(x -> x));", "t x"),
        ("supply(() -> a).orElseThrow(() -> b);", "a b"),
    ] {
        assert_eq!(again(&format!("class C {{ @Test void t() {{ {body} }} }}")), expected, "{body}");
    }
}

#[test]
fn expressions_repeat_outside_of_tests_and_in_inherited_tests() {
    for (class, expected) in [
        ("class C { @Test void t() { f(a); } void helper() { g(b); } @BeforeEach void setUp() { h(c); } }", "b c"),
        ("class C { T t = a; static { f(b); } { g(c); } C() { h(d); } }", "a b c d"),
        ("class C extends TestCase { public void testIt() { f(a); } public void testIt(int n) { g(n); } }", "n"),
        ("class C { @Nested class D { @Test void t() { f(a); } void helper() { g(b); } } }", "b"),
        ("class C { @Theory public void t(int n) { f(n); } @TestFactory Object u() { return g(a); } }", "n a"),
        ("class C { @SlowTest void t() { f(a); } @ParameterizedTest void u(int n) { g(n); } }", ""),
        ("class C { static abstract class D { @Test void t() { f(a); } } }", "t a"),
        ("interface I { @Test default void t() { f(a); } }", "t a"),
        (
            "@Test class C { public void t() { f(a); } @BeforeMethod public void u() { f(b); } void v() { f(c); } }",
            "b c",
        ),
    ] {
        assert_eq!(again(class), expected, "{class}");
    }
}

#[test]
fn public_methods_of_a_testng_class_report_exceptions_that_leave_them() {
    let thrown = |class: &str| {
        let found = places(class).unwrap();
        let of_kind = found.places.iter().filter(|place| place.kind == ExpressionKind::Thrown);
        of_kind.map(|place| class[place.start..place.end].to_owned()).collect::<Vec<_>>()
    };
    let methods = "public void a() { } @AfterMethod public void b() { } public int c() { return 1; } void d() { }";
    assert_eq!(thrown(&format!("@org.testng.annotations.Test(groups = \"x\") class C {{ {methods} }}")), ["a"]);
    assert_eq!(thrown(&format!("class C {{ {methods} }}")), [""; 0]);
}

fn kinds(body: &str) -> Vec<(String, ExpressionKind)> {
    let source = format!("class C {{ void m() {{ {body} }} }}");
    let found = places(&source).unwrap();
    likely(&found).iter().map(|place| (source[place.start..place.end].to_owned(), place.kind)).collect()
}

#[test]
fn the_kind_says_how_a_value_is_used() {
    use ExpressionKind::{Asserted, Discarded, Value};
    let found = |body: &str| kinds(body).into_iter().map(|(_, kind)| kind).collect::<Vec<_>>();
    assert_eq!(found("a = f(b);"), [Value, Value]);
    assert_eq!(found("f(b);"), [Discarded, Value]);
    assert_eq!(found("assertEquals(1, f(b));"), [Discarded, Asserted, Asserted]);
    assert_eq!(found("assertThat(a).hasSize(b);"), [Asserted, Asserted]);
    assert_eq!(found("assert a > 0;"), [Asserted, Asserted]);
    assert_eq!(found("assertThrows(E.class, () -> f(a));"), [Discarded, Value, Value]);
    assert_eq!(found("assertTrue(l.stream().anyMatch(x -> x));")[1..], [Asserted; 4]);
    assert_eq!(found("assertAll(() -> { f(); });"), [Discarded, Discarded]);
}

#[test]
fn a_member_that_the_grammar_cannot_read_is_left_out_and_the_others_are_probed() {
    let source = "import module java.base;\nclass C {\n  int a() { return x; }\n  int b() { return \\u0061 ; }\n  int c() { return y; }\n}";
    let found = places(source).unwrap();
    assert_eq!(found.unreadable, [4]);
    let texts: Vec<&str> = likely(&found).iter().map(|place| &source[place.start..place.end]).collect();
    assert_eq!(texts, ["x", "y"]);
}

#[test]
fn a_very_long_chain_is_read_without_running_out_of_stack() {
    let source = format!("class C {{ Object m() {{ return a{}; }} }}", ".f()".repeat(5_000));
    let found = places(&source).unwrap();
    assert!(found.places.len() > 1000);
}

#[test]
fn package_and_top_level_types_are_known() {
    let found = places("package org.example;\nclass A { class B { } }\ninterface D { }").unwrap();
    assert_eq!(found.package.as_deref(), Some("org.example"));
    assert_eq!(found.types, ["A", "D"]);
}

/// Issue 54: all of Java's syntax up to 25, in a file for each feature since Java 9.
#[test]
fn each_feature_of_the_language_is_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/instrument/testdata/syntax");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 15);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let found = places(&text).unwrap();
        assert_eq!(found.unreadable, Vec::<usize>::new(), "lines of {}", file.display());
        assert!(!found.places.is_empty(), "nothing to probe in {}", file.display());
    }
}

#[test]
fn the_values_around_record_patterns_are_probed() {
    probes(&[
        (
            "boolean m() { return o instanceof Box.Lid(var m) && f(m); }",
            "boolean m() { return p(o) instanceof Box.Lid(var m) && p(f(p(m))); }",
        ),
        (
            "void m() { if (o instanceof a.Box<?>(Box.Lid(int n), _)) { f(n); } }",
            "void m() { if (p(o) instanceof a.Box<?>(Box.Lid(int n), _)) { p(f(p(n))); } }",
        ),
    ]);
}
