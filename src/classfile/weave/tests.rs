//! Woven classes are loaded by a JVM and run: what a scenario returns, and what the runtime class was told.
//!
//! The subjects are in `testdata/Subjects.java`, what is called in `testdata/Scenarios.java`, one compilation for all tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::*;
use ristretto_classfile::{ClassFile, Constant as PoolConstant};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

fn tool(name: &str) -> Command {
    match std::env::var_os("JAVA_HOME") {
        Some(home) => Command::new(crate::java::tool(Path::new(&home), name)),
        None => Command::new(name),
    }
}

/// The folder of compiled subjects.
static SUBJECTS: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let far = far_source(2_900);
    let sources = [
        ("Probe.java", include_str!("testdata/Probe.java")),
        ("Subjects.java", include_str!("testdata/Subjects.java")),
        ("Scenarios.java", include_str!("testdata/Scenarios.java")),
        ("Far.java", &far),
    ];
    let mut javac = tool("javac");
    javac.args(["-g", "--release", "11", "-proc:none", "-d"]).arg(folder.path());
    for (name, text) in sources {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        javac.arg(file);
    }
    let output = javac.output().expect("these tests need a JDK: set JAVA_HOME, or put javac on the path");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
});

/// A loop around so many returns that its jumps just reach over them, until something is woven in before each return.
fn far_source(returns: usize) -> String {
    let returns: String = (1000..1000 + returns).map(|n| format!("if (n == {n}) return {n};\n")).collect();
    format!(
        "class Far {{ static int far(int n) {{ int sum = 0; while (sum < n) {{\n{returns} sum += 1000; }} return -sum; }} }}"
    )
}

fn subject(class: &str) -> Vec<u8> {
    std::fs::read(SUBJECTS.path().join(format!("{class}.class"))).unwrap()
}

fn method(name: &str, descriptor: &str) -> MethodWeave {
    MethodWeave { name: name.to_owned(), descriptor: descriptor.to_owned(), ..MethodWeave::default() }
}

fn covered(number: u32, name: &str, descriptor: &str) -> MethodWeave {
    MethodWeave { coverage: Some(number), ..method(name, descriptor) }
}

fn guarded(name: &str, descriptor: &str, guards: &[(u32, Constant)]) -> MethodWeave {
    MethodWeave { guards: guards.to_vec(), ..method(name, descriptor) }
}

fn observed(number: u32, name: &str, descriptor: &str) -> MethodWeave {
    MethodWeave { observe: Some(number), ..method(name, descriptor) }
}

/// Weaves `methods` into `class` and runs scenarios, each with a transformation: one line for each.
fn run(class: &str, methods: &[MethodWeave], scenarios: &[(u32, &str)]) -> Vec<String> {
    let woven =
        weave(&subject(class), &ClassWeave { methods: methods.to_vec() }).unwrap_or_else(|error| panic!("{error}"));
    run_class(class, &woven, scenarios)
}

fn run_class(class: &str, bytes: &[u8], scenarios: &[(u32, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(format!("{class}.class")), bytes).unwrap();
    let class_path = std::env::join_paths([folder.path(), SUBJECTS.path()]).unwrap();
    let mut java = tool("java");
    java.args(["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp"]).arg(class_path).arg("Scenarios");
    for (active, scenario) in scenarios {
        java.arg(active.to_string()).arg(scenario);
    }
    let output = java.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Guards and observation for the same method.
fn both(mut plan: MethodWeave, number: u32) -> MethodWeave {
    plan.observe = Some(number);
    plan.coverage = Some(number);
    plan
}

const STRING: &str = "()Ljava/lang/String;";

/// Scenario, descriptor, constant, what the original gives and what the constant gives, and the overload of `leave`.
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
fn a_guard_returns_its_constant_when_active_and_is_not_there_otherwise() {
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
                plan.observe = Some(7);
                expected.push([*transformed, &format!("leave 7 {leave}")].map(str::trim).join(" | "));
            } else {
                expected.push((*transformed).to_owned());
            }
        }
        let seen = run("Returns", &plans, &scenarios);
        assert_eq!(seen.len(), expected.len());
        for (index, ((seen, expected), (active, name))) in seen.iter().zip(&expected).zip(&scenarios).enumerate() {
            // Not compared where the original runs observed: other tests do.
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
        run("Returns", &[both(plan, 3)], &scenarios[3..]),
        [
            "131313 | entered 3 | enter 3(Returns) | leave 3 int 131313",
            "-1 | entered 3 | enter 3(Returns) | leave 3 int -1"
        ]
    );
}

#[test]
fn a_guard_can_return_an_argument_wherever_its_slot_is() {
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
fn a_constant_that_does_not_fit_is_an_error_that_names_the_method() {
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
        assert_eq!(error.method, Some((name.to_owned(), descriptor.to_owned())));
        assert!(matches!(error.fault, Fault::DoesNotFit { .. }), "{error}");
    }
}

#[test]
fn a_reference_that_does_not_fit_fails_where_it_is_returned_and_leaves_the_class_usable() {
    let plan = guarded("list", "()Ljava/util/List;", &[(1, Constant::New("java/util/HashMap".to_owned()))]);
    let seen = run("Returns", &[plan], &[(0, "list"), (1, "list")]);
    assert_eq!(seen[0], "[one]");
    assert!(seen[1].starts_with("java.lang.ClassCastException"), "{}", seen[1]);
}

#[test]
fn coverage_is_set_in_methods_constructors_and_static_initialisers() {
    let plans = [covered(5, "<init>", "(Z)V"), covered(6, "<clinit>", "()V")];
    // The static initialiser runs once.
    assert_eq!(
        run("Built", &plans, &[(0, "built"), (0, "built")]),
        ["1000 5 | entered 5 | entered 6", "1000 5 | entered 5"]
    );
    let plans =
        [covered(40, "outer", "(I)I"), covered(41, "inner", "(I)I"), covered(42, "table", "(I)Ljava/lang/String;")];
    assert_eq!(run("Flow", &plans, &[(0, "outer")]), ["11 | entered 40 | entered 41"]);
}

#[test]
fn arguments_of_every_type_are_observed_and_receivers_come_first() {
    let all = "(ZBCSIJFDLjava/lang/String;[I)Ljava/lang/String;";
    let plans = [observed(70_000, "all", all), observed(2, "instance", "(JD)D"), observed(3, "none", "()V")];
    assert_eq!(
        run("Arguments", &plans, &[(0, "all"), (0, "instance"), (0, "none")]),
        [
            "true1c2345.06.0t7 | enter 70000(null Boolean:true Byte:1 Character:c Short:2 Integer:3 Long:4 Float:5.0 Double:6.0 \"t\" int[]) \
         | leave 70000 Object \"true1c2345.06.0t7\"",
            "1.5 | enter 2(Arguments Long:3 Double:0.5) | leave 2 double 1.5",
            "done | enter 3(null) | leave 3",
        ]
    );
}

#[test]
fn nested_and_recursive_invocations_are_observed_in_order() {
    let plans = [observed(1, "outer", "(I)I"), observed(2, "inner", "(I)I"), observed(3, "recursive", "(I)I")];
    assert_eq!(
        run("Flow", &plans, &[(0, "outer"), (0, "recursive")]),
        [
            "11 | enter 1(null Integer:5) | enter 2(null Integer:5) | leave 2 int 10 | leave 1 int 11",
            "6 | enter 3(null Integer:3) | enter 3(null Integer:2) | enter 3(null Integer:1) \
         | leave 3 int 1 | leave 3 int 2 | leave 3 int 6",
        ]
    );
}

#[test]
fn an_exception_that_leaves_a_method_is_observed_and_one_that_is_caught_inside_is_not() {
    let plans = [
        observed(1, "throwing", "(Ljava/lang/String;)I"),
        observed(2, "catching", "(Ljava/lang/String;)I"),
        observed(3, "tryFinally", "(Ljava/lang/String;Ljava/util/List;)I"),
        observed(4, "finallyWins", "(Ljava/lang/String;)I"),
    ];
    let thrown = "java.lang.NumberFormatException: For input string: \"x\"";
    let scenarios = [(0, "throwing"), (0, "catching"), (0, "tryFinally"), (0, "tryFinallyThrows"), (0, "finallyWins")];
    assert_eq!(
        run("Flow", &plans, &scenarios),
        [
            format!("{thrown} | enter 1(null \"x\") | threw 1 {thrown}"),
            "-1 | enter 2(null \"x\") | leave 2 int -1".to_owned(),
            "8 [finally] | enter 3(null \"8\" ArrayList) | leave 3 int 8".to_owned(),
            format!("caught [finally] | enter 3(null \"x\" ArrayList) | threw 3 {thrown}"),
            "7 | enter 4(null \"x\") | leave 4 int 7".to_owned(),
        ]
    );
}

#[test]
fn a_loop_at_the_start_of_a_method_has_one_frame_there() {
    let guards = [(1, Constant::Int(50)), (2, Constant::Int(51))];
    let plan = guarded("loopAtStart", "(I)I", &guards);
    let scenarios = [(0, "loopAtStart"), (1, "loopAtStart"), (2, "loopAtStart")];
    assert_eq!(run("Flow", std::slice::from_ref(&plan), &scenarios), ["0", "50", "51"]);
    assert_eq!(
        run("Flow", &[both(plan, 9)], &scenarios),
        [
            "0 | entered 9 | enter 9(null Integer:3) | leave 9 int 0",
            "50 | entered 9 | enter 9(null Integer:3) | leave 9 int 50",
            "51 | entered 9 | enter 9(null Integer:3) | leave 9 int 51",
        ]
    );
}

#[test]
fn switches_stay_valid_wherever_they_are_moved_to() {
    let table = guarded("table", "(I)Ljava/lang/String;", &[(1, Constant::String("A".to_owned()))]);
    let lookup = guarded("lookup", "(Ljava/lang/String;)I", &[(1, Constant::Int(1000))]);
    let mut plans = vec![vec![table.clone(), lookup.clone()]];
    // Method numbers of one, two and three bytes, and a guard: prologues of every length modulo four.
    plans.extend(
        [1, 100, 1000]
            .map(|n| vec![observed(n, &table.name, &table.descriptor), observed(n, &lookup.name, &lookup.descriptor)]),
    );
    plans.push(vec![both(table, 1), both(lookup, 1)]);
    for plans in plans {
        let seen = run("Flow", &plans, &[(0, "table"), (0, "lookup")]);
        let results: Vec<&str> = seen.iter().map(|line| line.split(" | ").next().unwrap()).collect();
        assert_eq!(results, ["onethreemany5many-9", "235"], "{plans:?}");
    }
}

#[test]
fn locks_are_released_whichever_way_a_method_ends() {
    let plans = [both(guarded("locked", "(I)I", &[(1, Constant::Int(1))]), 1), both(method("block", "(I)I"), 2)];
    let thrown = "java.lang.ArithmeticException: / by zero";
    assert_eq!(
        run("Flow", &plans, &[(0, "locked"), (1, "locked"), (0, "block")]),
        [
            format!("false | entered 1 | enter 1(null Integer:0) | threw 1 {thrown}"),
            "1 | entered 1 | enter 1(null Integer:0) | leave 1 int 1".to_owned(),
            format!(
                "false | entered 2 | enter 2(Flow Integer:3) | leave 2 int 33 | enter 2(Flow Integer:0) | threw 2 {thrown}"
            ),
        ]
    );
}

#[test]
fn frames_with_uninitialised_objects_and_wide_locals_move_with_the_code() {
    let plan = guarded("frames", "(IJ)Ljava/lang/String;", &[(1, Constant::String("A".to_owned()))]);
    assert_eq!(
        run("Flow", std::slice::from_ref(&plan), &[(0, "frames"), (1, "frames")]),
        ["bigzzx smallzz long", "A A A"]
    );
    let seen = run("Flow", &[both(plan, 1)], &[(0, "frames")]);
    assert!(
        seen[0].starts_with(
            "bigzzx smallzz long | entered 1 | enter 1(null Integer:5 Long:3) | leave 1 Object \"bigzzx\""
        )
    );
}

#[test]
fn bodies_of_lambdas_and_methods_of_interfaces_are_woven() {
    let plan = both(guarded("lambda$lambda$0", "(Ljava/util/List;)V", &[(1, Constant::Void)]), 1);
    assert_eq!(
        run("Flow", &[plan], &[(0, "lambda"), (1, "lambda")]),
        [
            "[lambda] | entered 1 | enter 1(null ArrayList) | leave 1",
            "[] | entered 1 | enter 1(null ArrayList) | leave 1",
        ]
    );
    let plans = [
        both(guarded("corners", "()I", &[(1, Constant::Int(0))]), 1),
        covered(2, "half", "()I"),
        both(guarded("square", "()LShape;", &[]), 3),
    ];
    let seen = run("Shape", &plans, &[(0, "shape"), (1, "shape")]);
    assert!(
        seen[0].starts_with("4 | entered 1 | entered 2 | entered 3 | enter 3(null) | leave 3 Object Shape$$Lambda")
    );
    assert!(seen[0].ends_with(" | leave 1 int 4"), "{}", seen[0]);
    assert!(seen[1].starts_with("0 | entered 1 | entered 3 |"), "{}", seen[1]);
}

#[test]
fn exceptions_keep_their_line_numbers() {
    let plain = run("Flow", &[], &[(0, "line")]);
    let guarded = guarded("line", "(I)I", &[(1, Constant::Int(1))]);
    assert_eq!(run("Flow", std::slice::from_ref(&guarded), &[(0, "line")]), plain);
    let observed = run("Flow", &[both(guarded, 1)], &[(0, "line")]);
    assert_eq!(observed[0].split(" | ").next(), Some(plain[0].as_str()));
}

/// `javap -v` of one method, without the woven instructions.
fn javap(class: &[u8], method: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Flow.class");
    std::fs::write(&file, class).unwrap();
    let output = tool("javap").args(["-v", "-p"]).arg(&file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let start = text.find(&format!(" {method}(")).unwrap();
    text[start..].split("\n\n").next().unwrap().to_owned()
}

#[test]
fn debugging_tables_and_type_annotations_move_with_the_code() {
    let descriptor = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let plan = ClassWeave { methods: vec![both(guarded("annotated", descriptor, &[(1, Constant::Null)]), 1)] };
    let text = javap(&weave(&subject("Flow"), &plan).unwrap(), "annotated");
    let at = |instruction: &str| {
        let line =
            text.lines().find(|line| line.contains(instruction)).unwrap_or_else(|| panic!("{instruction} in {text}"));
        line.trim().split(':').next().unwrap().parse::<usize>().unwrap()
    };
    let new = at(": new ");
    let instance_of = at(": instanceof ");
    assert!(new > 20, "{text}");
    for expected in [format!("NEW, offset={new}"), format!("INSTANCEOF, offset={instance_of}")] {
        assert!(text.contains(&expected), "{expected} in {text}");
    }
    // `local` lives from after its store to the end of the body, where the handler begins.
    let start = at(": astore_1") + 1;
    let handler = text.lines().rfind(|line| line.trim_end().ends_with(": dup")).unwrap();
    let length = handler.trim().split(':').next().unwrap().parse::<usize>().unwrap() - start;
    assert!(text.contains(&format!("LOCAL_VARIABLE, {{start_pc={start}, length={length}, index=1}}")), "{text}");
    let variable = text.lines().find(|line| line.ends_with("local   Ljava/lang/Object;")).unwrap();
    let columns: Vec<&str> = variable.split_whitespace().take(2).collect();
    assert_eq!(columns, [start.to_string(), length.to_string()], "{text}");
}

#[test]
fn jumps_that_no_longer_reach_their_target_are_led_there() {
    let plan = both(guarded("far", "(I)I", &[(1, Constant::Int(1))]), 3);
    let woven = weave(&subject("Far"), &ClassWeave { methods: vec![plan] }).unwrap();
    let code = code_of(&woven, "far");
    assert!(code.iter().filter(|byte| **byte == opcode::GOTO_W).count() > 1);
    let seen = run_class("Far", &woven, &[(0, "far"), (1, "far")]);
    let events: String = [(5, -1000), (2500, 2500), (0, 0), (7000, -7000)]
        .map(|(n, result)| format!(" | enter 3(null Integer:{n}) | leave 3 int {result}"))
        .concat();
    assert_eq!(seen[0], format!("-1000 2500 0 -7000 | entered 3{events}"));
    assert!(seen[1].starts_with("1 1 1 1 | "));
}

#[test]
fn a_method_that_would_become_too_large_is_left_as_it_is_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Far.java");
    std::fs::write(&source, far_source(3_600)).unwrap();
    assert!(tool("javac").arg(&source).status().unwrap().success());
    let class = std::fs::read(folder.path().join("Far.class")).unwrap();
    let plan = ClassWeave { methods: vec![observed(1000, "far", "(I)I"), covered(1, "<init>", "()V")] };
    let error = weave(&class, &plan).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Method Far.far(I)I: with the woven code the code of the method would exceed the limit of the class file format; \
         leave the method as it is."
    );
    let woven = weave_what_fits(&class, &plan).unwrap();
    assert_eq!(woven.left_out, [error]);
    assert_eq!(code_of(&woven.class_file, "far"), code_of(&class, "far"));
    assert_ne!(code_of(&woven.class_file, "<init>"), code_of(&class, "<init>"));
}

/// Instructions of a method.
fn code_of(class: &[u8], method: &str) -> Vec<u8> {
    let class = opaque::read(class).unwrap();
    let method = class
        .methods
        .iter()
        .find(|candidate| *class.constant_pool.try_get_utf8(candidate.name_index).unwrap() == *method);
    let Some(Attribute::Unknown { info, .. }) = method.unwrap().attributes.first() else { panic!("no code") };
    code::read(info).unwrap().code.into_owned()
}

/// Version 49: types are inferred, there are no frames, and `jsr` is allowed.
fn old(mut class: Vec<u8>) -> Vec<u8> {
    class[6..8].copy_from_slice(&49u16.to_be_bytes());
    class
}

#[test]
fn old_class_files_are_woven_without_frames() {
    let plan = guarded("mixed", "(IJD)I", &[(1, Constant::Int(-7)), (2, Constant::Int(-8))]);
    for (plan, events) in [(plan.clone(), ""), (both(plan, 4), " | leave 4 int -8")] {
        let woven = weave(&old(subject("Plain")), &ClassWeave { methods: vec![plan] }).unwrap();
        let seen = run_class("Plain", &woven, &[(0, "mixed"), (2, "mixed")]);
        assert!(seen[0].starts_with("3 10 -1"), "{}", seen[0]);
        assert!(seen[1].starts_with("-8 -8 -8") && seen[1].ends_with(events), "{}", seen[1]);
    }
}

#[test]
fn subroutines_of_old_class_files_are_moved() {
    let bytes = old(subject("Plain"));
    let mut class = opaque::read(&bytes).unwrap();
    let pool = class.constant_pool.clone();
    let subroutine = class
        .methods
        .iter_mut()
        .find(|method| *pool.try_get_utf8(method.name_index).unwrap() == *"subroutine")
        .unwrap();
    let [Attribute::Unknown { info, .. }] = subroutine.attributes.as_mut_slice() else { panic!("more than Code") };
    // jsr 5; iload_0; ireturn; 5: astore_1; iinc 0 1; ret 1
    let code = [168, 0, 5, 26, 172, 76, 132, 0, 1, 169, 1];
    *info = Code {
        max_stack: 1,
        max_locals: 2,
        code: Cow::Owned(code.to_vec()),
        exceptions: Vec::new(),
        attributes: Vec::new(),
    }
    .to_bytes()
    .unwrap();
    let mut bytes = Vec::new();
    class.to_bytes(&mut bytes).unwrap();
    assert_eq!(run_class("Plain", &bytes, &[(0, "subroutine")]), ["42"]);
    let plan = both(guarded("subroutine", "(I)I", &[(1, Constant::Int(1))]), 4);
    let woven = weave(&bytes, &ClassWeave { methods: vec![plan] }).unwrap();
    assert_eq!(
        run_class("Plain", &woven, &[(0, "subroutine"), (1, "subroutine")]),
        [
            "42 | entered 4 | enter 4(null Integer:41) | leave 4 int 42",
            "1 | entered 4 | enter 4(null Integer:41) | leave 4 int 1",
        ]
    );
}

#[test]
fn a_far_jump_of_an_old_class_file_is_led_to_its_target() {
    let plan = observed(3, "far", "(I)I");
    let woven = weave(&old(subject("Far")), &ClassWeave { methods: vec![plan] }).unwrap();
    assert!(run_class("Far", &woven, &[(0, "far")])[0].starts_with("-1000 2500 0 -7000 | enter 3"));
}

/// Every class file that the tests compile.
fn all_subjects() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(SUBJECTS.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "class"))
        .collect();
    files.sort();
    files
}

#[test]
fn an_empty_plan_gives_the_same_bytes_back() {
    let files = all_subjects();
    assert!(files.len() > 8);
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        assert_eq!(weave(&bytes, &ClassWeave::default()).unwrap(), bytes, "{}", file.display());
        // So does a plan that asks for nothing in a method.
        let nothing = opaque::read(&bytes)
            .unwrap()
            .methods
            .iter()
            .map(|method| {
                let (name, descriptor) =
                    method_key(method, &Pool::new(opaque::read(&bytes).unwrap().constant_pool)).unwrap();
                self::method(&name, &descriptor)
            })
            .collect();
        assert_eq!(weave(&bytes, &ClassWeave { methods: nothing }).unwrap(), bytes, "{}", file.display());
    }
}

#[test]
fn weaving_twice_gives_the_same_bytes() {
    let plan = ClassWeave { methods: vec![both(guarded("i", "()I", &[(1, Constant::Int(0))]), 1)] };
    assert_eq!(weave(&subject("Returns"), &plan).unwrap(), weave(&subject("Returns"), &plan).unwrap());
}

#[test]
fn what_cannot_be_woven_is_said_by_method() {
    let faults = |class: &str, methods: Vec<MethodWeave>| {
        let woven = weave_what_fits(&subject(class), &ClassWeave { methods }).unwrap();
        woven.left_out.into_iter().map(|error| error.fault).collect::<Vec<_>>()
    };
    assert_eq!(
        faults("Abstract", vec![covered(1, "missing", "()I"), observed(1, "elsewhere", "()I")]),
        [Fault::NoCode, Fault::NoCode]
    );
    let initialisers = vec![observed(1, "<init>", "(Z)V"), guarded("<clinit>", "()V", &[(1, Constant::Void)])];
    assert_eq!(faults("Built", initialisers), [Fault::Initializer, Fault::Initializer]);
    let twice = vec![covered(1, "i", "()I"), covered(1, "i", "()I"), covered(1, "i", "()J")];
    assert_eq!(faults("Returns", twice), [Fault::NamedTwice, Fault::NoSuchMethod]);
}

#[test]
fn a_full_constant_pool_is_said_and_the_class_stays_as_it_was() {
    let bytes = subject("Returns");
    let mut class = ClassFile::from_slice(&bytes).unwrap();
    let mut class =
        ClassFile { constant_pool: std::mem::take(&mut class.constant_pool), ..opaque::read(&bytes).unwrap() };
    while class.constant_pool.len() < 65_532 {
        class.constant_pool.push(PoolConstant::Integer(0));
    }
    let mut full = Vec::new();
    class.to_bytes(&mut full).unwrap();
    let plan = ClassWeave { methods: vec![covered(1, "i", "()I")] };
    let woven = weave_what_fits(&full, &plan).unwrap();
    assert_eq!(woven.left_out[0].fault, Fault::PoolFull);
    assert_eq!(run_class("Returns", &woven.class_file, &[(0, "i")]), ["131313"]);
}

#[test]
fn broken_class_files_are_errors_and_never_panics() {
    let bytes = subject("Plain");
    let methods: Vec<MethodWeave> = opaque::read(&bytes)
        .unwrap()
        .methods
        .iter()
        .map(|method| {
            let (name, descriptor) =
                method_key(method, &Pool::new(opaque::read(&bytes).unwrap().constant_pool)).unwrap();
            let observe = (!name.starts_with('<')).then_some(1);
            MethodWeave { coverage: Some(1), observe, ..self::method(&name, &descriptor) }
        })
        .collect();
    let plan = ClassWeave { methods };
    assert!(weave(&bytes, &plan).is_ok());
    for length in 0..bytes.len() {
        assert!(weave_what_fits(&bytes[..length], &plan).is_err(), "cut off at {length}");
    }
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 0xFF;
        // Some of these are valid classes; that there is an answer is what counts.
        drop(weave_what_fits(&broken, &plan));
    }
}

#[test]
fn a_type_of_countless_dimensions_does_not_exhaust_the_stack() {
    let mut class = ClassFile { version: ristretto_classfile::JAVA_8, ..ClassFile::default() };
    class.this_class = class.constant_pool.add_class("Deep").unwrap();
    let mut bytes = Vec::new();
    let name = class.constant_pool.add_utf8("field").unwrap();
    let descriptor = class.constant_pool.add_utf8(format!("{}I", "[".repeat(60_000))).unwrap();
    class.to_bytes(&mut bytes).unwrap();
    // After the counts of interfaces come the fields; instead of none, one.
    bytes.truncate(bytes.len() - 6);
    bytes.extend([[0, 1], [0, 0], name.to_be_bytes(), descriptor.to_be_bytes(), [0, 0], [0, 0], [0, 0]].concat());
    let error = weave(&bytes, &ClassWeave::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Class file: it is not a valid class file (a field's type has more than 255 dimensions); compile the class again."
    );
}
