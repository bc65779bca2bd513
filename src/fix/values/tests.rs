//! Values of a small program that the tests compile.
#![allow(clippy::unwrap_used)]

use crate::classfile::outlines::Outlines;
use crate::classfile::test_javac::compile;
use crate::code::Signature;
use crate::fix::source::test_source::TestSource;
use crate::fix::subject::Subject;
use crate::fix::values::catalog::Values;
use crate::fix::values::usual::UsualValues;
use crate::fix::values::value::{Arguments, Value, combined};
use std::path::Path;

const MAIN: &str = "package a; public class Shop {
    public enum Size { SMALL, LARGE }
    public static final Shop OPEN = new Shop(3);
    private final int places;
    public Shop(int places) { this.places = places; }
    static Shop named(String name) { return name.equals(\"corner\") ? OPEN : new Shop(7); }
    public Till till() { return new Till(1); }
    public boolean sells(String what, Size size) { return what.equals(\"milk\"); }
    public class Till { final int number; public Till(int number) { this.number = number; } }
    static class Counter { int next; void skip(int many) { next += many; } int next() { return next; } }
    interface Rule { }
    static class Always implements Rule { }
    interface Check { boolean passes(String what, int count); }
    static abstract class Meter { Meter(int start) { } abstract String read(Till till); protected abstract void clear(); int twice() { return 2; } }
    interface Listener { void opened(); void closed(); void changed(); void moved(); }
    interface Guest { String name(); int rank(String in, int year) throws java.io.IOException; boolean pays(); void sit(); }
    boolean lets(Guest guest) throws java.io.IOException { return known(guest) && guest.pays(); }
    private boolean known(Guest guest) throws java.io.IOException { guest.sit(); return guest.rank(\"a\", 1) > 2; }
}";

/// The statements before each value, and the expression.
fn codes(test: &str, type_name: &str, depth: usize) -> Vec<String> {
    with_mocks(false, "sells", "(Ljava/lang/String;La/Shop$Size;)Z", test, type_name, depth)
}

/// The same for another method, or with Mockito.
fn with_mocks(mocks: bool, name: &str, descriptor: &str, test: &str, type_name: &str, depth: usize) -> Vec<String> {
    let folder = compile(&[MAIN], &["-Xlint:none"]);
    let outlines = Outlines::read(folder.path()).unwrap();
    let method =
        Signature { class: "a.Shop".into(), name: name.into(), descriptor: descriptor.into(), is_static: false };
    let subject =
        Subject { method: &method, outlines: &outlines, evidence: Vec::new(), calls: Vec::new(), drawn: Vec::new() };
    let source = TestSource::of(Path::new("T.java"), test.to_owned()).unwrap();
    let usual = UsualValues::read(mocks).unwrap();
    let values = Values::new(&subject, &source, &usual);
    let code = |value: &Value| value.before.iter().chain([&value.code]).cloned().collect::<Vec<String>>().join(" ");
    values.of(type_name, depth).iter().map(code).collect()
}

const NEAR: &str = "package a; class T { void t() { f(\"bread\"); } }";

#[test]
fn texts_come_from_the_method_its_class_and_the_tests_and_null_is_last() {
    let texts = codes(NEAR, "java.lang.String", 0);
    let at = |text: &str| texts.iter().position(|known| known == text).unwrap();
    assert_eq!(at("\"milk\""), 0, "{texts:?}");
    assert!(at("\"milk\"") < at("\"corner\"") && at("\"corner\"") < at("\"bread\""), "{texts:?}");
    assert_eq!(texts.last().unwrap(), "null");
}

#[test]
fn objects_come_from_constructors_factories_constants_and_enclosing_objects() {
    let shops = codes(NEAR, "a.Shop", 2);
    for code in ["Shop.OPEN", "new Shop(0)", "Shop.named(\"milk\")"] {
        assert!(shops.iter().any(|known| known == code), "{code}: {shops:?}");
    }
    let tills = codes(NEAR, "a.Shop$Till", 2);
    assert!(tills.iter().any(|code| code == "Shop.OPEN.new Till(0)"), "{tills:?}");
    assert_eq!(codes(NEAR, "a.Shop$Size", 0), ["Shop.Size.SMALL", "Shop.Size.LARGE", "null"]);
    assert_eq!(codes(NEAR, "a.Shop$Rule", 1), ["new Shop.Always()", "null"]);
    let arrays = codes(NEAR, "a.Shop$Size[]", 1);
    assert_eq!(arrays[0], "new Shop.Size[] {Shop.Size.SMALL}", "{arrays:?}");
}

#[test]
fn an_object_may_be_changed_first() {
    let counters = codes(NEAR, "a.Shop$Counter", 2);
    let made = "Shop.Counter counter = new Shop.Counter();";
    for line in ["counter.skip(0);", "counter.next = 0;"] {
        assert!(counters.contains(&format!("{made} {line} counter")), "{line}: {counters:?}");
    }
    assert!(counters.iter().all(|code| !code.contains("counter.next();")), "that changes nothing: {counters:?}");
    let elsewhere = codes("package b; class T { }", "a.Shop$Counter", 2);
    assert_eq!(elsewhere, ["null"]);
    // An object that others use as well stays as it is.
    assert!(codes(NEAR, "a.Shop", 2).iter().all(|code| !code.contains("= Shop.OPEN;")));
}

#[test]
fn an_interface_without_implementation_becomes_a_lambda_or_an_anonymous_class() {
    let checks = codes(NEAR, "a.Shop$Check", 2);
    assert_eq!(checks[..2], ["(one, two) -> true", "(one, two) -> false"]);
    let meters = codes(NEAR, "a.Shop$Meter", 2);
    let meter = "Shop.Meter meter = new Shop.Meter(0) {\n\t@Override\n\tprotected void clear() {\n\t\t// not of interest\n\t}\n\n\
                 \t@Override\n\tString read(Shop.Till one) {\n\t\treturn \"a\";\n\t}\n}; meter";
    assert_eq!(meters[0], meter);
    assert_eq!(codes(NEAR, "a.Shop$Listener", 2), ["null"], "four methods are too many");
}

#[test]
fn a_mock_answers_the_questions_of_the_method() {
    let of = |mocks: bool| with_mocks(mocks, "lets", "(La/Shop$Guest;)Z", NEAR, "a.Shop$Guest", 2);
    let guests = of(true);
    assert_eq!(guests[0], "mock(Shop.Guest.class)", "{guests:?}");
    let made = "Shop.Guest guest = mock(Shop.Guest.class);";
    let (rank, pays) = ("when(guest.rank(any(), anyInt())).thenReturn(3);", "when(guest.pays()).thenReturn(true);");
    for lines in [rank.to_owned(), pays.to_owned(), format!("{pays} {rank}")] {
        assert!(guests.contains(&format!("{made} {lines} guest")), "{lines}: {guests:#?}");
    }
    // Nobody asks for the name, and an answer that a mock gives anyway is left out.
    assert!(!guests.iter().any(|code| code.contains("name()") || code.contains("(false)") || code.contains("(0)")));
    assert_eq!(of(false), ["null"]);
}

#[test]
fn a_test_gets_only_values_that_it_can_name() {
    let elsewhere = "package b; class T { }";
    assert_eq!(codes(elsewhere, "a.Shop$Rule", 1), ["null"]);
    assert!(!codes(elsewhere, "a.Shop", 2).iter().any(|code| code.contains("named")));
    let taken = "package b; import c.Shop; class T { }";
    assert!(codes(taken, "a.Shop", 1).iter().any(|code| code == "a.Shop.OPEN"));
}

#[test]
fn first_choices_of_several_parameters_come_first() {
    let one = |code: &str| Arguments(vec![Value { code: code.into(), ..Value::default() }]);
    let lists = combined(&[vec![one("a"), one("b")], vec![one("x"), one("y")]], 3);
    let codes: Vec<String> = lists.iter().map(|list| list.called("f", Vec::new(), &[]).code).collect();
    assert_eq!(codes, ["f(a, x)", "f(a, y)", "f(b, x)"]);
}
