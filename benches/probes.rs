//! The overhead of probes, in CPU time per invocation of a small method: without probes and with each kind of probe, on
//! objects with 0, 1, 5 and 20 fields.
//!
//! Each invocation leaves a new state, which is the most expensive case for the recorder.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use reneri::base::id::{MethodId, TestId};
use reneri::base::interrupt;
use reneri::jvm::client::Launch;
use reneri::jvm::protocol::{Limit, Outcome, Record, RunTest, Sites, World};
use reneri::observation::Site;
use reneri::recipe::launch::launch;
use reneri::recipe::{Build, BuildTool, MavenOptions, MavenRequest};
use reneri::run::{End, Job, Pool, Session, Start};
use reneri::transform::{Selection, Transformations, list, plan};
use reneri::{cover, project};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const FIELDS: [usize; 4] = [0, 1, 5, 20];
/// The number of invocations in each test; `reneri.rt.Probe` would only count further ones.
const INVOCATIONS: u64 = 10_000;
const TESTS: u64 = 20;
/// A limit that no test reaches.
const LIMIT: Limit = Limit::of_time(600_000);

const POM: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>probes</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>
  </dependencies>
</project>
"#;

/// A class whose method `next` changes every field. The result depends on the argument, so no compiler can omit the call.
fn counter(fields: usize) -> String {
    let each = |code: &dyn Fn(usize) -> String| (0..fields).map(code).collect::<String>();
    format!(
        "package org.example;\npublic class Counter{fields} {{\n{}    public int next(int by) {{\n        int sum = by * 31 + 7;\n{}        return sum;\n    }}\n}}\n",
        each(&|field| format!("    private int field{field};\n")),
        each(&|field| format!("        field{field} += sum;\n")),
    )
}

fn counter_test(fields: usize) -> String {
    let test = |number: u64| {
        format!(
            "    @org.junit.Test public void runs{number}() {{\n        Counter{fields} counter = new Counter{fields}();\n        int sum = 0;\n        \
             for (int i = 0; i < {INVOCATIONS}; i++) {{ sum = counter.next(sum + i); }}\n        kept = sum;\n    }}\n"
        )
    };
    let tests: String = (0..TESTS).map(test).collect();
    format!("package org.example;\npublic class Counter{fields}Test {{\n    public static int kept;\n{tests}}}\n")
}

/// Makes and compiles a Maven project with the classes.
fn build(folder: &Path) -> Build {
    for (kind, name, text) in [("main", "", counter as fn(usize) -> String), ("test", "Test", counter_test)] {
        let sources = folder.join("src").join(kind).join("java/org/example");
        std::fs::create_dir_all(&sources).unwrap();
        for fields in FIELDS {
            std::fs::write(sources.join(format!("Counter{fields}{name}.java")), text(fields)).unwrap();
        }
    }
    std::fs::write(folder.join("pom.xml"), POM).unwrap();
    let options = MavenOptions { arguments: Vec::new(), offline: false, history: false };
    let project = project::find(folder).unwrap();
    let log = folder.join("maven.log");
    let maven = BuildTool::Maven(MavenRequest { project, options, log });
    maven.build(interrupt::flag(), &mut |_| {}).expect("Maven compiles the project")
}

/// A kind of probe to measure.
struct Variant {
    name: &'static str,
    woven: bool,
    observed: bool,
    record: Record,
}

fn variants(method: MethodId) -> [Variant; 5] {
    let variant = |name, woven, observed, record| Variant { name, woven, observed, record };
    let site = || vec![Site::Method(method)];
    [
        variant("plain", false, false, Record::Coverage),
        variant("coverage", true, false, Record::Coverage),
        // As in runs that observe a different method.
        variant("not asked for", true, true, Record::State(Sites::default())),
        variant("digest", true, true, Record::State(Sites { digested: site(), ..Sites::default() })),
        variant("recorded", true, true, Record::State(Sites { recorded: site(), ..Sites::default() })),
    ]
}

fn start(build: &Build, transformations: &Transformations, woven: bool, observed: &BTreeSet<MethodId>) -> Launch {
    let recipe = &build.recipes[0];
    let mut launch = launch(recipe, None).unwrap();
    launch.executable = env!("CARGO_BIN_EXE_reneri").into();
    launch.start.methods = plan::shapes(transformations);
    if woven {
        launch.start.weave = plan::plan(transformations, observed, &build.seen_by(recipe));
    }
    launch
}

/// The CPU time of the tests, all of which must pass.
fn run(session: &mut Session, tests: &[RunTest], record: &Record, fresh: bool) -> Duration {
    let ran = session
        .run(&Job {
            tests: tests.to_vec(),
            transformation: None,
            record: record.clone(),
            start: if fresh { Start::Clean } else { Start::Again },
            whole_classes: false,
            stop_at_first_failure: false,
            next_number: TestId::new(tests.len()),
            world: World::default(),
            other_limit: LIMIT,
        })
        .unwrap();
    assert_eq!(ran.end, End::Complete);
    assert_eq!(ran.reported.finished.len() as u64, TESTS);
    assert!(ran.reported.finished.iter().all(|finished| finished.outcome == Outcome::Passed));
    let expected = match record {
        Record::State(sites) if !sites.recorded.is_empty() => TESTS * INVOCATIONS,
        _ => 0,
    };
    assert_eq!(ran.reported.recording.map_or(0, |recording| recording.observations.len()) as u64, expected);
    Duration::from_nanos(ran.reported.finished.iter().map(|finished| finished.cpu_nanoseconds).sum())
}

fn probes(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let build = build(folder.path());
    let transformations = list(&build.compiled_classes().unwrap(), &Selection::new(None, Vec::new()).unwrap()).unwrap();
    let mut group = criterion.benchmark_group("probes");
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(1));
    for fields in FIELDS {
        let class = format!("org.example.Counter{fields}");
        let method = transformations.methods.position(|method| method.class == class && method.name == "next");
        let method = method.expect("the method can be transformed");
        for Variant { name, woven, observed, record } in variants(method) {
            let observed = if observed { BTreeSet::from([method]) } else { BTreeSet::new() };
            let launch = start(&build, &transformations, woven, &observed);
            let (pool, launch) = (Pool::new(1), Arc::new(launch));
            let found = cover::find(&pool, &build.recipes[0], &launch, &[format!("{class}Test")]).unwrap();
            let numbered = (0..).map(TestId).zip(found);
            let tests: Vec<RunTest> =
                numbered.map(|(number, test)| RunTest { number, id: test.id, limit: LIMIT }).collect();
            let run =
                |fresh: bool| pool.run_in(0, &launch, |session| Ok(run(session, &tests, &record, fresh))).unwrap();
            run(true);
            group.bench_function(BenchmarkId::new(name, format!("{fields} fields")), |bencher| {
                bencher.iter_custom(|invocations| {
                    let times = invocations.div_ceil(TESTS * INVOCATIONS);
                    let took: Duration = (0..times).map(|_| run(false)).sum();
                    took.mul_f64(invocations as f64 / (times * TESTS * INVOCATIONS) as f64)
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, probes);
criterion_main!(benches);
