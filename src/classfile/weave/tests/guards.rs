//! The result of a method while its guard is active, and while it is not.

use super::*;
use crate::base::id::MethodId;

const STRING: &str = "()Ljava/lang/String;";

/// For each return type: scenario, descriptor, constant, the original result, the transformed result, and the parameter of
/// `leave`.
fn every_return_type() -> Vec<(&'static str, &'static str, Constant, &'static str, &'static str, &'static str)> {
    vec![
        ("nothing", "(Ljava/lang/StringBuilder;)V", Constant::Void, "<ran>", "<>", ""),
        ("z", "()Z", Constant::Int(1), "false", "true", "boolean true"),
        ("b", "()B", Constant::Int(-128), "11", "-128", "byte -128"),
        ("c", "()C", Constant::Int(65535), "'c' 99", "'\u{ffff}' 65535", "char \u{ffff}"),
        ("s", "()S", Constant::Int(1), "1212", "1", "short 1"),
        ("i", "()I", Constant::Int(70_000), "131313", "70000", "int 70000"),
        ("j", "()J", Constant::Long(-5), "1414141414141414", "-5", "long -5"),
        ("f", "()F", Constant::Float(0.1), "1.5", "0.1", "float 0.1"),
        ("d", "()D", Constant::Double(-0.0), "1.25", "-0.0", "double -0.0"),
        (
            "string",
            STRING,
            Constant::String("A\0\u{1F600}".to_owned()),
            "original",
            "A\0\u{1F600}",
            "Object \"A\0\u{1F600}\"",
        ),
        ("object", "()Ljava/lang/Object;", Constant::Null, "[]", "null", "Object null"),
        ("text", "()Ljava/lang/CharSequence;", Constant::String(String::new()), "text", "", "Object \"\""),
        ("ints", "()[I", Constant::EmptyArray("I".to_owned()), "[1, 2]", "[]", "Object int[]"),
        (
            "strings",
            "()[Ljava/lang/String;",
            Constant::EmptyArray("Ljava/lang/String;".to_owned()),
            "[a]",
            "[]",
            "Object String[]",
        ),
        (
            "bytes",
            "()[[B",
            Constant::EmptyArray("[B".to_owned()),
            "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]",
            "[]",
            "Object byte[][]",
        ),
        (
            "number",
            "()Ljava/lang/Number;",
            Constant::Boxed {
                class: "java/lang/Long".to_owned(),
                primitive: "J".to_owned(),
                value: Box::new(Constant::Long(1)),
            },
            "17",
            "1",
            "Object Long:1",
        ),
        (
            "optional",
            "()Ljava/util/Optional;",
            Constant::StaticCall {
                class: "java/util/Optional".to_owned(),
                method: "empty".to_owned(),
                descriptor: "()Ljava/util/Optional;".to_owned(),
                interface: false,
            },
            "Optional[there]",
            "Optional.empty",
            "Object Optional",
        ),
        (
            "list",
            "()Ljava/util/List;",
            Constant::StaticCall {
                class: "java/util/List".to_owned(),
                method: "of".to_owned(),
                descriptor: "()Ljava/util/List;".to_owned(),
                interface: true,
            },
            "[one]",
            "[]",
            "Object ListN",
        ),
        ("object", "()Ljava/lang/Object;", Constant::New("java/util/HashMap".to_owned()), "[]", "{}", "Object HashMap"),
        ("self", "(LReturns;)LReturns;", Constant::This, "false", "true", "Object Returns"),
    ]
}

#[test]
fn a_guard_returns_its_constant_only_while_it_is_active() {
    for observe in [false, true] {
        let cases = every_return_type();
        let mut plans: Vec<MethodWeave> = Vec::new();
        let mut scenarios = Vec::new();
        let mut expected = Vec::new();
        for (number, (name, descriptor, constant, original, transformed, leave)) in (1000..).zip(&cases) {
            let plan = match plans.iter_mut().find(|plan| plan.name == *name) {
                Some(plan) => plan,
                None => {
                    plans.push(method(name, descriptor));
                    plans.last_mut().unwrap()
                }
            };
            plan.guards.push((number, constant.clone()));
            scenarios.extend([(0, *name), (1, *name), (number, *name)]);
            expected.extend([(*original).to_owned(), (*original).to_owned()]);
            if observe {
                plan.observe = Some(MethodId(7));
                expected.push([*transformed, &format!("leave 7 {leave}")].map(str::trim).join(" | "));
            } else {
                expected.push((*transformed).to_owned());
            }
        }
        let seen = run("Returns", &plans, &scenarios);
        assert_eq!(seen.len(), expected.len());
        for (index, ((seen, expected), (active, name))) in seen.iter().zip(&expected).zip(&scenarios).enumerate() {
            // Observation of the original body is checked by other tests.
            let seen = match seen.split(" | ").collect::<Vec<_>>()[..] {
                [result, enter, leave] if index % 3 == 2 && enter.starts_with("enter 7(Returns") => {
                    format!("{result} | {leave}")
                }
                [result, _, _] if observe => result.to_owned(),
                _ => seen.clone(),
            };
            assert_eq!(&seen, expected, "{name} with {active}, observe {observe}");
        }
    }
}

#[test]
fn each_of_several_guards_has_its_own_constant() {
    let guards = [(1, Constant::Int(0)), (2, Constant::Int(1)), (400_000, Constant::Int(-1))];
    let plan = guarded("i", "()I", &guards);
    let scenarios = [(0, "i"), (1, "i"), (2, "i"), (3, "i"), (400_000, "i")];
    assert_eq!(run("Returns", std::slice::from_ref(&plan), &scenarios), ["131313", "0", "1", "131313", "-1"]);
    assert_eq!(
        run("Returns", &[with_observation(plan, 3)], &scenarios[3..]),
        [
            "131313 | entered 3 | enter 3(Returns) | leave 3 int 131313",
            "-1 | entered 3 | enter 3(Returns) | leave 3 int -1"
        ]
    );
}

#[test]
fn a_guard_can_return_any_argument() {
    let plans = [
        guarded("second", "(IJLjava/lang/String;)J", &[(1, Constant::Argument(1))]),
        guarded("third", "(IJLjava/lang/String;)Ljava/lang/String;", &[(2, Constant::Argument(2))]),
    ];
    assert_eq!(
        run("Returns", &plans, &[(0, "second"), (1, "second"), (0, "third"), (2, "third")]),
        ["6", "2", "3345", "345"]
    );
}

#[test]
fn a_constant_of_the_wrong_type_is_an_error_that_names_the_method() {
    let unfit = [
        ("i", "()I", Constant::Long(1)),
        ("nothing", "(Ljava/lang/StringBuilder;)V", Constant::Null),
        ("z", "()Z", Constant::Void),
        ("z", "()Z", Constant::Argument(0)),
        ("string", STRING, Constant::Int(1)),
        ("ints", "()[I", Constant::EmptyArray("V".to_owned())),
        ("second", "(IJLjava/lang/String;)J", Constant::Argument(0)),
        ("third", "(IJLjava/lang/String;)Ljava/lang/String;", Constant::This),
    ];
    for (name, descriptor, constant) in unfit {
        let plan = ClassWeave { methods: vec![guarded(name, descriptor, &[(1, constant)])] };
        let error = weave(&subject("Returns"), &plan).unwrap_err();
        assert_eq!(error.method, Some(NameAndType { name: name.to_owned(), descriptor: descriptor.to_owned() }));
        assert!(matches!(error.fault, Fault::DoesNotFit { .. }), "{error}");
    }
}

#[test]
fn a_reference_of_the_wrong_class_fails_only_where_it_is_returned() {
    let plan = guarded("list", "()Ljava/util/List;", &[(1, Constant::New("java/util/HashMap".to_owned()))]);
    let seen = run("Returns", &[plan], &[(0, "list"), (1, "list")]);
    assert_eq!(seen[0], "[one]");
    assert!(seen[1].starts_with("java.lang.ClassCastException"), "{}", seen[1]);
}
