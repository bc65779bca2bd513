//! The woven class file: its tables and limits, old versions, and broken input.

use super::*;
use crate::base::id::MethodId;
use ristretto_classfile::{ClassFile, Constant as PoolConstant};
use std::path::PathBuf;

#[test]
fn exceptions_keep_their_line_numbers() {
    let plain = run("Flow", &[], &[(0, "line")]);
    let guarded = guarded("line", "(I)I", &[(1, Constant::Int(1))]);
    assert_eq!(run("Flow", std::slice::from_ref(&guarded), &[(0, "line")]), plain);
    let observed = run("Flow", &[with_observation(guarded, 1)], &[(0, "line")]);
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
fn debugging_tables_and_type_annotations_are_relocated() {
    let descriptor = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let plan =
        ClassWeave { methods: vec![with_observation(guarded("annotated", descriptor, &[(1, Constant::Null)]), 1)] };
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
    // `local` is in scope from after its store to the end of the body, where the handler begins.
    let start = at(": astore_1") + 1;
    let handler = text.lines().rfind(|line| line.trim_end().ends_with(": dup")).unwrap();
    let length = handler.trim().split(':').next().unwrap().parse::<usize>().unwrap() - start;
    assert!(text.contains(&format!("LOCAL_VARIABLE, {{start_pc={start}, length={length}, index=1}}")), "{text}");
    let variable = text.lines().find(|line| line.ends_with("local   Ljava/lang/Object;")).unwrap();
    let columns: Vec<&str> = variable.split_whitespace().take(2).collect();
    assert_eq!(columns, [start.to_string(), length.to_string()], "{text}");
}

#[test]
fn jumps_beyond_reach_go_through_a_trampoline() {
    let plan = with_observation(guarded("far", "(I)I", &[(1, Constant::Int(1))]), 3);
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
fn a_method_that_would_become_too_large_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Far.java");
    std::fs::write(&source, far_source(3_600)).unwrap();
    assert!(tool("javac").arg(&source).status().unwrap().success());
    let class = std::fs::read(folder.path().join("Far.class")).unwrap();
    let plan = ClassWeave { methods: vec![observed(1000, "far", "(I)I"), covered(1, "<init>", "()V")] };
    let error = weave(&class, &plan).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Method Far.far(I)I: with the code that reneri weaves in, the code of the method would exceed the limit of the class file \
         format."
    );
    let woven = weave_what_fits(&class, &plan).unwrap();
    assert_eq!(woven.left_out, [error]);
    assert_eq!(code_of(&woven.class_file, "far"), code_of(&class, "far"));
    assert_ne!(code_of(&woven.class_file, "<init>"), code_of(&class, "<init>"));
}

/// The bytes of a method's code.
fn code_of(class: &[u8], method: &str) -> Vec<u8> {
    let class = reader::read(class).unwrap();
    let method = class
        .methods
        .iter()
        .find(|candidate| *class.constant_pool.try_get_utf8(candidate.name_index).unwrap() == *method);
    let Some(Attribute::Unknown { info, .. }) = method.unwrap().attributes.first() else { panic!("no code") };
    code::read(info).unwrap().code.into_owned()
}

/// Changes the version to 49: there, the verifier infers types, there are no frames, and `jsr` is allowed.
fn old(mut class: Vec<u8>) -> Vec<u8> {
    class[6..8].copy_from_slice(&49u16.to_be_bytes());
    class
}

#[test]
fn old_class_files_are_woven_without_frames() {
    let plan = guarded("mixed", "(IJD)I", &[(1, Constant::Int(-7)), (2, Constant::Int(-8))]);
    for (plan, events) in [(plan.clone(), ""), (with_observation(plan, 4), " | leave 4 int -8")] {
        let woven = weave(&old(subject("Plain")), &ClassWeave { methods: vec![plan] }).unwrap();
        let seen = run_class("Plain", &woven, &[(0, "mixed"), (2, "mixed")]);
        assert!(seen[0].starts_with("3 10 -1"), "{}", seen[0]);
        assert!(seen[1].starts_with("-8 -8 -8") && seen[1].ends_with(events), "{}", seen[1]);
    }
}

#[test]
fn subroutines_of_old_class_files_are_relocated() {
    let bytes = old(subject("Plain"));
    let mut class = reader::read(&bytes).unwrap();
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
    let plan = with_observation(guarded("subroutine", "(I)I", &[(1, Constant::Int(1))]), 4);
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
fn a_jump_beyond_reach_works_in_an_old_class_file() {
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
fn an_empty_plan_returns_the_same_bytes() {
    let files = all_subjects();
    assert!(files.len() > 8);
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        assert_eq!(weave(&bytes, &ClassWeave::default()).unwrap(), bytes, "{}", file.display());
        // A plan with an empty entry for a method does as well.
        let nothing = reader::read(&bytes)
            .unwrap()
            .methods
            .iter()
            .map(|method| {
                let NameAndType { name, descriptor } =
                    method_key(method, &Pool::new(reader::read(&bytes).unwrap().constant_pool)).unwrap();
                self::method(&name, &descriptor)
            })
            .collect();
        assert_eq!(weave(&bytes, &ClassWeave { methods: nothing }).unwrap(), bytes, "{}", file.display());
    }
}

#[test]
fn weaving_is_deterministic() {
    let plan = ClassWeave { methods: vec![with_observation(guarded("i", "()I", &[(1, Constant::Int(0))]), 1)] };
    assert_eq!(weave(&subject("Returns"), &plan).unwrap(), weave(&subject("Returns"), &plan).unwrap());
}

#[test]
fn an_error_names_the_method() {
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
fn a_full_constant_pool_is_an_error_and_the_class_stays_unchanged() {
    let bytes = subject("Returns");
    let mut class = ClassFile::from_slice(&bytes).unwrap();
    let mut class =
        ClassFile { constant_pool: std::mem::take(&mut class.constant_pool), ..reader::read(&bytes).unwrap() };
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
fn broken_class_files_never_panic() {
    let bytes = subject("Plain");
    let methods: Vec<MethodWeave> = reader::read(&bytes)
        .unwrap()
        .methods
        .iter()
        .map(|method| {
            let NameAndType { name, descriptor } =
                method_key(method, &Pool::new(reader::read(&bytes).unwrap().constant_pool)).unwrap();
            let observe = (!name.starts_with('<')).then_some(MethodId(1));
            MethodWeave { coverage: Some(MethodId(1)), observe, ..self::method(&name, &descriptor) }
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
        // Some of these are still valid classes: only a panic would be wrong.
        drop(weave_what_fits(&broken, &plan));
    }
}

#[test]
fn a_type_with_very_many_dimensions_does_not_exhaust_the_stack() {
    let mut class = ClassFile { version: ristretto_classfile::JAVA_8, ..ClassFile::default() };
    class.this_class = class.constant_pool.add_class("Deep").unwrap();
    let mut bytes = Vec::new();
    let name = class.constant_pool.add_utf8("field").unwrap();
    let descriptor = class.constant_pool.add_utf8(format!("{}I", "[".repeat(60_000))).unwrap();
    class.to_bytes(&mut bytes).unwrap();
    // The fields come after the interfaces: puts one in place of none.
    bytes.truncate(bytes.len() - 6);
    bytes.extend([[0, 1], [0, 0], name.to_be_bytes(), descriptor.to_be_bytes(), [0, 0], [0, 0], [0, 0]].concat());
    let error = weave(&bytes, &ClassWeave::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Class file: it is not a valid class file (a type has more than 255 dimensions); compile the class again."
    );
}
