//! Instrumented sources compile, run, and behave like the originals. Sources that cannot be
//! instrumented are left out and reported.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::javac::Compilers;
use super::{Expression, Instrumented, instrument};
use crate::base::embedded_java::{compile_cached, tool};
use crate::recipe::{CompilerSettings, Recipe, jdk};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROBE: &str = include_str!("testdata/Probe.java");
const EVERYTHING: &str = include_str!("testdata/Everything.java");

/// A project in a folder of its own that consists of test sources only.
struct Project {
    folder: tempfile::TempDir,
    recipe: Recipe,
    probe: PathBuf,
}

impl Project {
    fn new(sources: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = jdk::of_environment().unwrap();
        let probe = compile_cached(&home, "stub-probe", &[("reneri/rt/Probe.java", PROBE)], &[], &[]).unwrap();
        let root = folder.path().join("src");
        for (path, text) in sources {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let recipe = Recipe {
            java_home: home,
            test_source_roots: vec![root],
            compiler: CompilerSettings { release: Some("17".into()), ..CompilerSettings::default() },
            ..Recipe::of_tests(folder.path())
        };
        Self { folder, recipe, probe }
    }

    /// Compiles the sources as Maven would.
    fn compile_originals(&self, files: &[&str]) {
        let root = &self.recipe.test_source_roots[0];
        let mut javac = Command::new(tool(&self.recipe.java_home, "javac"));
        javac.args(["-g", "-nowarn", "-encoding", "UTF-8", "-d"]).arg(&self.recipe.test_classes);
        assert!(javac.args(files.iter().map(|file| root.join(file))).status().unwrap().success());
    }

    fn scratch(&self) -> PathBuf {
        self.folder.path().join("scratch")
    }

    fn instrument(&self) -> Instrumented {
        instrument(&Compilers::default(), &self.recipe, &self.scratch(), &self.probe).unwrap()
    }

    fn run(&self, classes: &Path, main: &str) -> String {
        let class_path = std::env::join_paths([classes, &self.probe]).unwrap();
        let output = Command::new(tool(&self.recipe.java_home, "java"))
            .args(["-ea", "-Dfile.encoding=UTF-8"])
            .arg(format!("-Dseen={}", self.folder.path().join("seen").display()))
            .arg("-cp")
            .arg(class_path)
            .arg(main)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The lines that the stub wrote: expression, type, value.
    fn seen<'e>(&self, expressions: &'e [Expression]) -> Vec<(&'e Expression, String, String)> {
        let text = std::fs::read_to_string(self.folder.path().join("seen")).unwrap();
        let line = |line: &str| {
            let mut parts = line.splitn(3, ' ');
            let number: usize = parts.next()?.parse().ok()?;
            Some((expressions.get(number)?, parts.next()?.to_owned(), parts.next()?.to_owned()))
        };
        text.lines().filter_map(line).collect()
    }
}

#[test]
fn instrumented_classes_behave_like_the_originals_and_report_every_value() {
    let project = Project::new(&[("org/example/Everything.java", EVERYTHING.as_bytes())]);
    project.compile_originals(&["org/example/Everything.java"]);
    let instrumented = project.instrument();
    let classes = instrumented.classes.clone().unwrap();
    assert_eq!(instrumented.left_out, []);
    assert_eq!(instrumented.missing_classes, Vec::<String>::new());
    assert_eq!(instrumented.extra_classes, Vec::<String>::new());
    assert_eq!(
        project.run(&project.recipe.test_classes, "org.example.Everything"),
        project.run(&classes, "org.example.Everything")
    );
    assert!(instrumented.counts.wrapped > 250, "{:?}", instrumented.counts);
    assert!(instrumented.counts.refused * 100 < instrumented.counts.wrapped, "{:?}", instrumented.counts);
    let unprobed = instrumented.counts.by_rule + instrumented.counts.refused;
    assert_eq!(instrumented.unprobed.values().sum::<usize>(), unprobed, "{:?}", instrumented.unprobed);
    let seen = project.seen(&instrumented.expressions.raw);
    for (text, type_name, value) in [
        ("s.charAt(n - 1)", "char", "o"),
        ("x + y", "int", "3"),
        ("BOXED == 7", "boolean", "true"),
        ("true ? BOXED : 2.0", "double", "7.0"),
        ("Optional.of(NAME).map(String::length).orElseThrow(() -> new Error(\"none\"))", "reference", "2"),
        ("list.remove(boxed.intValue())", "reference", "30"),
        ("other.orElse(key)", "reference", "key"),
        ("e", "caught", "java.io.IOException: io"),
        ("testFails", "leaving", "java.io.IOException: io"),
    ] {
        let found = seen.iter().any(|(place, kind, said)| place.text == text && kind == type_name && said == value);
        assert!(found, "{text}");
    }
    // The probe never sees a constant, a type or a statement without a value.
    assert!(!seen.iter().any(|(place, ..)| ["CONSTANT", "Color", "Arrays", "increment.run()"].contains(&&*place.text)));
}

#[test]
fn positions_are_those_of_the_original_for_every_encoding_and_line_end() {
    let text = "package a;\r\nclass U {\r\n\tstatic String grün = \"ü😀\";\r\n\tstatic void main(String[] x) {\r\n\t\t/* ü😀 */ String s = grün + x.length;\r\n\t}\r\n}\r\n";
    let latin = "class L { String s = \"ü\" + m(1); int m(int grö) { return grö; } }";
    let latin_1: Vec<u8> = latin.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for (name, bytes, encoding, text, column) in [
        ("a/U.java", text.as_bytes(), Some("UTF-8"), "grün + x.length", 23),
        ("a/U.java", text.as_bytes(), None, "grün + x.length", 23),
        ("L.java", &latin_1, Some("ISO-8859-1"), "m(1)", 28),
    ] {
        let mut project = Project::new(&[(name, bytes)]);
        project.recipe.compiler.encoding = encoding.map(str::to_owned);
        let instrumented = project.instrument();
        assert_eq!(instrumented.left_out, []);
        let found = instrumented.expressions.iter().find(|expression| expression.text == text).unwrap();
        assert_eq!(found.column, column);
        assert_eq!(usize::try_from(found.end_column).unwrap(), usize::try_from(column).unwrap() + text.chars().count());
        assert_eq!(found.file, project.recipe.test_source_roots[0].join(name));
    }
}

#[test]
fn a_source_that_does_not_compile_is_left_out_and_the_others_are_not() {
    let project = Project::new(&[
        ("Good.java", b"class Good { int a = Integer.parseInt(\"1\"); }"),
        ("Bad.java", b"class Bad { int a = missing(); }"),
    ]);
    let instrumented = project.instrument();
    let [(path, reason)] = &instrumented.left_out[..] else { panic!("{:?}", instrumented.left_out) };
    assert!(path.ends_with("Bad.java"));
    assert!(reason.contains("cannot find symbol"), "{reason}");
    assert!(instrumented.classes.unwrap().join("Good.class").is_file());
    assert_eq!(instrumented.expressions.len(), 1);
}

#[test]
fn a_source_that_maven_does_not_compile_is_not_compiled() {
    let project = Project::new(&[
        ("Good.java", b"class Good { int a = Integer.parseInt(\"1\"); }"),
        ("Excluded.java", b"class Excluded { int a = Integer.parseInt(\"1\"); }"),
    ]);
    project.compile_originals(&["Good.java"]);
    let instrumented = project.instrument();
    assert_eq!(instrumented.left_out.len(), 1);
    assert!(!instrumented.classes.unwrap().join("Excluded.class").exists());
}

#[test]
fn a_method_that_grows_too_large_keeps_its_outermost_probes() {
    let body = "a(b(c(i)));\n".repeat(2500);
    let source = format!(
        "class Large {{ static int a(int i) {{ return i; }} static int b(int i) {{ return i; }} static int c(int i) {{ return i; }}\n\
         static void large(int i) {{\n{body}}} }}"
    );
    let project = Project::new(&[("Large.java", source.as_bytes())]);
    let instrumented = project.instrument();
    assert!(instrumented.left_out.is_empty(), "{:?}", instrumented.left_out);
    let texts: Vec<&str> = instrumented.expressions.iter().map(|expression| expression.text.as_str()).collect();
    assert_eq!(texts.iter().filter(|text| **text == "a(b(c(i)))").count(), 2500);
    assert!(!texts.contains(&"b(c(i))"));
    assert_eq!(instrumented.counts.refused, 3 * 2500);
}

#[test]
fn probes_that_only_javac_can_refuse_are_taken_back_one_by_one() {
    let source = "class Odd {\n\
                  static <T> T any() { return null; }\n\
                  static void take(int[] a) { }\n\
                  static void take(String s) { }\n\
                  static int same(int i) { return i; }\n\
                  static void test(int i) {\n\
                  take(Odd.<String>any());\n\
                  int n = Odd.<Integer>any();\n\
                  short s = i > 0 ? (short) 1 : 2;\n\
                  String t = any();\n\
                  same(i);\n\
                  java.util.List<String> raw = new java.util.ArrayList();\n\
                  java.util.List<String> of = java.util.Arrays.asList(new String[0]);\n\
                  } }";
    let project = Project::new(&[("Odd.java", source.as_bytes())]);
    let instrumented = project.instrument();
    assert_eq!(instrumented.left_out, []);
    let texts: Vec<&str> = instrumented.expressions.iter().map(|expression| expression.text.as_str()).collect();
    assert!(texts.contains(&"same(i)"), "{texts:?}");
    assert!(instrumented.passes <= 5, "{}", instrumented.passes);
    assert!(instrumented.counts.refused <= 4, "{:?} {texts:?}", instrumented);
}

#[test]
fn annotation_processors_run_if_their_sources_are_needed() {
    let processor = r#"
        import java.io.*; import java.util.*; import javax.annotation.processing.*; import javax.lang.model.element.*;
        @SupportedAnnotationTypes("*")
        public class Maker extends AbstractProcessor {
            boolean done;
            public javax.lang.model.SourceVersion getSupportedSourceVersion() { return javax.lang.model.SourceVersion.latest(); }
            public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
                System.out.println("making");
                if (done) return false;
                done = true;
                try (Writer out = processingEnv.getFiler().createSourceFile("Made").openWriter()) {
                    out.write("class Made { static int made() { return 1; } static void nothing() { } }");
                } catch (IOException e) { throw new UncheckedIOException(e); }
                return false;
            }
        }"#;
    let source = b"class UsesMade { int a = Made.made(); void m() { Made.nothing(); } }";
    let mut project = Project::new(&[("UsesMade.java", source)]);
    let services = [("META-INF/services/javax.annotation.processing.Processor", "Maker\n")];
    // The text lives as long as the test.
    let classes =
        compile_cached(&project.recipe.java_home, "maker", &[("Maker.java", processor)], &services, &[]).unwrap();
    project.recipe.test_class_path.push(classes);
    let instrumented = project.instrument();
    assert_eq!(instrumented.left_out, []);
    let texts: Vec<&str> = instrumented.expressions.iter().map(|expression| expression.text.as_str()).collect();
    assert_eq!(texts, ["Made.made()"]);
    assert_eq!(instrumented.passes, 1);
}

#[test]
fn nothing_is_written_outside_the_scratch_folder() {
    let project = Project::new(&[("Good.java", b"class Good { int a = Integer.parseInt(\"1\"); }")]);
    project.instrument();
    let mut names: Vec<String> = std::fs::read_dir(project.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["scratch", "src"]);
}
