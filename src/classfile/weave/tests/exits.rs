//! Coverage, and observation at the entry and at every exit of a method.

use super::*;

#[test]
fn coverage_is_set_in_methods_constructors_and_static_initialisers() {
    let plans = [covered(5, "<init>", "(Z)V"), covered(6, "<clinit>", "()V")];
    // A static initialiser runs once.
    assert_eq!(
        run("Built", &plans, &[(0, "built"), (0, "built")]),
        ["1000 5 | entered 5 | entered 6", "1000 5 | entered 5"]
    );
    let plans =
        [covered(40, "outer", "(I)I"), covered(41, "inner", "(I)I"), covered(42, "table", "(I)Ljava/lang/String;")];
    assert_eq!(run("Flow", &plans, &[(0, "outer")]), ["11 | entered 40 | entered 41"]);
}

#[test]
fn the_receiver_and_arguments_of_every_type_are_observed() {
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
fn only_exceptions_that_leave_the_method_are_observed() {
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
fn a_method_that_starts_with_a_loop_has_one_frame_at_its_start() {
    let guards = [(1, Constant::Int(50)), (2, Constant::Int(51))];
    let plan = guarded("loopAtStart", "(I)I", &guards);
    let scenarios = [(0, "loopAtStart"), (1, "loopAtStart"), (2, "loopAtStart")];
    assert_eq!(run("Flow", std::slice::from_ref(&plan), &scenarios), ["0", "50", "51"]);
    assert_eq!(
        run("Flow", &[with_observation(plan, 9)], &scenarios),
        [
            "0 | entered 9 | enter 9(null Integer:3) | leave 9 int 0",
            "50 | entered 9 | enter 9(null Integer:3) | leave 9 int 50",
            "51 | entered 9 | enter 9(null Integer:3) | leave 9 int 51",
        ]
    );
}

#[test]
fn switches_stay_valid_at_every_alignment() {
    let table = guarded("table", "(I)Ljava/lang/String;", &[(1, Constant::String("A".to_owned()))]);
    let lookup = guarded("lookup", "(Ljava/lang/String;)I", &[(1, Constant::Int(1000))]);
    let mut plans = vec![vec![table.clone(), lookup.clone()]];
    // Method numbers of one, two and three bytes, and a guard: prologues of every length modulo four.
    plans.extend(
        [1, 100, 1000]
            .map(|n| vec![observed(n, &table.name, &table.descriptor), observed(n, &lookup.name, &lookup.descriptor)]),
    );
    plans.push(vec![with_observation(table, 1), with_observation(lookup, 1)]);
    for plans in plans {
        let seen = run("Flow", &plans, &[(0, "table"), (0, "lookup")]);
        let results: Vec<&str> = seen.iter().map(|line| line.split(" | ").next().unwrap()).collect();
        assert_eq!(results, ["onethreemany5many-9", "235"], "{plans:?}");
    }
}

#[test]
fn locks_are_released_at_every_exit() {
    let plans = [
        with_observation(guarded("locked", "(I)I", &[(1, Constant::Int(1))]), 1),
        with_observation(method("block", "(I)I"), 2),
    ];
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
fn frames_with_uninitialised_objects_and_wide_locals_are_relocated() {
    let plan = guarded("frames", "(IJ)Ljava/lang/String;", &[(1, Constant::String("A".to_owned()))]);
    assert_eq!(
        run("Flow", std::slice::from_ref(&plan), &[(0, "frames"), (1, "frames")]),
        ["bigzzx smallzz long", "A A A"]
    );
    let seen = run("Flow", &[with_observation(plan, 1)], &[(0, "frames")]);
    assert!(
        seen[0].starts_with(
            "bigzzx smallzz long | entered 1 | enter 1(null Integer:5 Long:3) | leave 1 Object \"bigzzx\""
        )
    );
}

#[test]
fn lambdas_and_interface_methods_are_woven() {
    let plan = with_observation(guarded("lambda$lambda$0", "(Ljava/util/List;)V", &[(1, Constant::Void)]), 1);
    assert_eq!(
        run("Flow", &[plan], &[(0, "lambda"), (1, "lambda")]),
        [
            "[lambda] | entered 1 | enter 1(null ArrayList) | leave 1",
            "[] | entered 1 | enter 1(null ArrayList) | leave 1",
        ]
    );
    let plans = [
        with_observation(guarded("corners", "()I", &[(1, Constant::Int(0))]), 1),
        covered(2, "half", "()I"),
        with_observation(guarded("square", "()LShape;", &[]), 3),
    ];
    let seen = run("Shape", &plans, &[(0, "shape"), (1, "shape")]);
    assert!(
        seen[0].starts_with("4 | entered 1 | entered 2 | entered 3 | enter 3(null) | leave 3 Object Shape$$Lambda")
    );
    assert!(seen[0].ends_with(" | leave 1 int 4"), "{}", seen[0]);
    assert!(seen[1].starts_with("0 | entered 1 | entered 3 |"), "{}", seen[1]);
}
