//! The speed of class rewriting, in classes per second of CPU time: everything that can be woven into classes of the JDK's
//! `java.base`.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod cpu_time;
#[path = "../examples/verify-libraries/plan.rs"]
mod plan;

use cpu_time::CpuTime;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plan::plan;
use reneri::classfile::plan::ClassWeave;
use reneri::classfile::weave::weave_what_fits;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::Command;

/// The number of classes that are woven in a row.
const CLASSES: usize = 1000;

/// `JAVA_HOME`, or the home of the `java` on the path.
fn java_home() -> PathBuf {
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        return home.into();
    }
    let output = Command::new("java").args(["-XshowSettings:properties", "-version"]).output().expect("a JDK");
    let settings = String::from_utf8_lossy(&output.stderr).into_owned();
    let home = settings.lines().find_map(|line| line.trim().strip_prefix("java.home = "));
    home.expect("java says where it is").into()
}

/// The same classes each time, taken in equal steps through the names, because neighbours are similar.
fn classes() -> Vec<Vec<u8>> {
    let java_home = java_home();
    let folder = tempfile::tempdir().unwrap();
    let extracted = Command::new(java_home.join("bin/jmod"))
        .args(["extract", "--dir"])
        .args([folder.path(), &java_home.join("jmods/java.base.jmod")])
        .status();
    assert!(extracted.expect("a JDK with jmod").success(), "java.base.jmod could not be extracted");
    let files = walkdir::WalkDir::new(folder.path().join("classes")).sort_by_file_name();
    let files: Vec<PathBuf> = files.into_iter().map(|file| file.unwrap().into_path()).collect();
    let is_class = |file: &&PathBuf| {
        let name = file.to_string_lossy();
        name.ends_with(".class") && !name.ends_with("-info.class")
    };
    let files: Vec<&PathBuf> = files.iter().filter(is_class).collect();
    let step = (files.len() / CLASSES).max(1);
    files.iter().step_by(step).take(CLASSES).map(|file| std::fs::read(file).unwrap()).collect()
}

fn rewriting(criterion: &mut Criterion<CpuTime>) {
    let classes = classes();
    let mut group = criterion.benchmark_group("rewriting");
    group.sample_size(10).throughput(Throughput::Elements(classes.len() as u64));
    let nothing = vec![ClassWeave::default(); classes.len()];
    let all = |observe| classes.iter().map(|class| plan(class, observe).unwrap()).collect::<Vec<_>>();
    for (name, plans) in [("nothing", nothing), ("coverage and guards", all(false)), ("observation too", all(true))] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for (class, plan) in classes.iter().zip(&plans) {
                    black_box(weave_what_fits(class, plan).unwrap());
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = rewriting
}
criterion_main!(benches);
