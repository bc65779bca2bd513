//! Changes to a small project, and the methods and tests that they touch.

use super::*;
use crate::base::id::{IdSlice, MethodId, ModuleId, RecipeId, TestId};
use crate::transform::{Constant, Stopped, Transformation};

const CODE: &str = "package a;

class Stack {
    private int size;

    int size() {
        return size;
    }

    void push() {
        size++;
    }
}
";

const TEST: &str = "import a.Stack;

class StackTest extends Base {
    // Comment.
    @Test
    void pushes() {
        push();
    }

    @Test
    void pops() {
    }

    void push() {
    }
}
";

struct Project {
    folder: tempfile::TempDir,
    transformations: Transformations,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("main/a/Stack.java", CODE);
        put("test/StackTest.java", TEST);
        put("it/Other.java", "class Other {}\n");
        let method = |name: &str, line| Method {
            class: "a.Stack".to_owned(),
            name: name.to_owned(),
            descriptor: "()V".to_owned(),
            access: 1,
            source_file: Some("Stack.java".to_owned()),
            line: Some(line),
            module: ModuleId(0),
        };
        let methods = vec![method("push", 11), Method { module: ModuleId(1), ..method("push", 11) }].into();
        let stopped = vec![Stopped { method: method("size", 7), rule: "getter".to_owned() }];
        let transformation = Transformation { method: MethodId(0), name: "void".to_owned(), constant: Constant::Void };
        Self {
            folder,
            transformations: Transformations {
                methods,
                transformations: vec![transformation].into(),
                stopped,
                ..Transformations::default()
            },
        }
    }

    fn touched(&self, file: &str, line: u32) -> TouchedCode {
        let root = self.folder.path().canonicalize().unwrap();
        let mut touched = TouchedLines::default();
        touched.add(line);
        let change = Change { files: [(root.join(file), touched)].into() };
        let roots =
            Roots { code: vec![vec![root.join("main")], vec![]].into(), tests: vec![vec![root.join("test")]].into() };
        TouchedCode::find(&change, &roots, &self.transformations).unwrap()
    }

    fn test_file(&self, line: u32) -> Option<TestFile> {
        self.touched("test/StackTest.java", line).test_files.pop()
    }
}

#[test]
fn a_source_touches_methods_of_its_own_module() {
    let touched = Project::new().touched("main/a/Stack.java", 11);
    assert_eq!((touched.methods, touched.stopped), ([MethodId(0)].into(), BTreeSet::new()));
    let touched = Project::new().touched("main/a/Stack.java", 6);
    assert!(touched.is_empty());
    assert_eq!(touched.stopped, [0].into(), "the getter is left out, and is counted");
}

#[test]
fn fields_and_files_outside_of_the_analysis_touch_nothing() {
    assert!(Project::new().touched("main/a/Stack.java", 4).is_empty());
    let touched = Project::new().touched("it/Other.java", 1);
    assert!(touched.is_empty());
    assert_eq!(touched.elsewhere.len(), 1);
}

#[test]
fn imports_and_comments_of_a_test_touch_nothing_and_a_header_touches_all_tests() {
    let project = Project::new();
    assert_eq!((project.test_file(1), project.test_file(4)), (None, None));
    let methods = |name: &str| BTreeSet::from([name.to_owned()]);
    let file = project.test_file(5).unwrap();
    assert_eq!((file.methods, file.is_shared), (methods("pushes"), false));
    let file = project.test_file(3).unwrap();
    assert!(file.methods.is_empty() && file.is_shared);
}

fn test(class: &str, name: &str) -> Test {
    Test { id: name.to_owned(), name: format!("{class}{name}"), class: class.to_owned(), recipe: RecipeId(0) }
}

#[test]
fn a_test_method_touches_itself_in_all_heirs_and_other_code_touches_all_users() {
    let classes = TestClasses::of(&[
        ("Base", &[], &[]),
        ("StackTest", &["Base"], &[]),
        ("StackTest$Inner", &["StackTest"], &[]),
        ("QueueTest", &[], &["Fixtures"]),
        ("Fixtures", &[], &[]),
    ]);
    let tests = [
        test("StackTest", ".pushes()"),
        test("StackTest", ".inherited(int)[2]"),
        test("StackTest$Inner", "[1].pops()"),
        test("QueueTest", ".pushes()"),
    ];
    let touched = |source: &str, methods: &[&str], is_shared| {
        let methods = methods.iter().map(|name| (*name).to_owned()).collect();
        let file = TestFile { recipe: RecipeId(0), source: source.to_owned(), methods, is_shared };
        touched_tests(&file, &classes, IdSlice::new(&tests))
    };
    assert_eq!(touched("StackTest.java", &["pushes"], false), [TestId(0)].into());
    assert_eq!(touched("StackTest.java", &["pops"], false), [TestId(2)].into());
    assert_eq!(touched("StackTest.java", &["setUp"], false), [TestId(0), TestId(1), TestId(2)].into());
    assert_eq!(touched("StackTest.java", &[], true), [TestId(0), TestId(1), TestId(2)].into());
    assert_eq!(touched("Base.java", &["inherited"], false), [TestId(1)].into());
    assert_eq!(touched("Base.java", &["setUp"], false), [TestId(0), TestId(1), TestId(2)].into());
    assert_eq!(
        touched("Fixtures.java", &["pushes"], false),
        [TestId(3)].into(),
        "no test, though a test is called the same"
    );
    assert_eq!(touched("NoClass.java", &["pushes"], true), BTreeSet::new());
}
