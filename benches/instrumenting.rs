//! The speed of test instrumentation, in bytes of source per second of CPU time: finding the places for probes in the tests
//! of the test projects, and writing the probes.

#![allow(clippy::unwrap_used, missing_docs)]

mod cpu_time;

use cpu_time::CpuTime;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use reneri::instrument::finder::places;
use reneri::instrument::place::{Place, SourcePlaces};
use reneri::instrument::weave::weave;
use std::hint::black_box;
use std::path::Path;

/// The size of the sources that are read in a row. Files are repeated until they have that many bytes.
const BYTES: usize = 1 << 20;

fn sources() -> Vec<String> {
    let projects = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-projects");
    let is_test = |path: &Path| {
        let relative = path.strip_prefix(&projects).unwrap();
        path.extension().is_some_and(|extension| extension == "java")
            && relative.components().any(|part| part.as_os_str() == "test")
            && !relative.components().any(|part| part.as_os_str() == "target")
    };
    let files = walkdir::WalkDir::new(&projects).sort_by_file_name().into_iter().map(Result::unwrap);
    let files: Vec<String> = files
        .filter(|entry| is_test(entry.path()))
        .map(|entry| std::fs::read_to_string(entry.path()).unwrap())
        .collect();
    let size: usize = files.iter().map(String::len).sum();
    std::iter::repeat_n(files, BYTES.div_ceil(size)).flatten().collect()
}

fn instrumenting(criterion: &mut Criterion<CpuTime>) {
    let sources = sources();
    let mut group = criterion.benchmark_group("instrumenting");
    group.sample_size(10).throughput(Throughput::Bytes(sources.iter().map(|source| source.len() as u64).sum()));
    group.bench_function("finding places", |bencher| {
        bencher.iter(|| sources.iter().for_each(|source| drop(black_box(places(source).unwrap()))));
    });
    let found: Vec<SourcePlaces> = sources.iter().map(|source| places(source).unwrap()).collect();
    let chosen: Vec<Vec<&Place>> = found.iter().map(|found| found.places.iter().collect()).collect();
    group.bench_function("writing probes", |bencher| {
        bencher.iter(|| {
            for (source, chosen) in sources.iter().zip(&chosen) {
                black_box(weave(source, chosen, 0));
            }
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = instrumenting
}
criterion_main!(benches);
