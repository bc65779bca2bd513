//! Readers of bytes that may be anything, one function each, for fuzzing.
//!
//! `fuzz/` runs them with cargo-fuzz, and the test below runs them for seconds with each build. None may panic, hang, or take
//! much memory, whatever the bytes are.

use crate::base::id::MethodId;
use crate::change;
use crate::classfile::plan::{ClassWeave, MethodWeave};
use crate::classfile::{digest, outline, weave};
use crate::instrument::{self, finder};
use crate::jvm::protocol::{Event, Request, receive};
use crate::transform::Constant;
use crate::{recipe, report};
use std::path::PathBuf;

/// A name, as the folders of `fuzz/corpus`, and the function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 7] = [
    ("class", class),
    ("weave", weave_class),
    ("diff", diff),
    ("recipe", recipe_file),
    ("report", report_file),
    ("frame", frame),
    ("source", source),
];

/// Outlines and digests a class file.
pub fn class(bytes: &[u8]) {
    let _ = outline::outline(bytes);
    let _ = digest::digest(bytes);
}

/// Weaves all that there is into each method of a class file.
pub fn weave_class(bytes: &[u8]) {
    let Ok(outline) = outline::outline(bytes) else { return };
    let methods = outline.methods.iter().map(|method| MethodWeave {
        name: method.name.clone(),
        descriptor: method.descriptor.clone(),
        coverage: Some(MethodId(0)),
        guards: vec![(1, Constant::Null), (2, Constant::Void)],
        observe: Some(MethodId(0)),
    });
    let plan = ClassWeave { methods: methods.collect() };
    let _ = weave::weave_what_fits(bytes, &plan);
}

/// Reads a unified diff.
pub fn diff(bytes: &[u8]) {
    change::read_diff(&String::from_utf8_lossy(bytes));
}

/// Reads a recipe file.
pub fn recipe_file(bytes: &[u8]) {
    with_file(bytes, |file| {
        let tool = recipe::BuildTool::RecipeFile(file.to_path_buf());
        drop(tool.build(crate::base::interrupt::flag(), &mut |_| {}));
    });
}

/// Reads a report.
pub fn report_file(bytes: &[u8]) {
    with_file(bytes, |file| drop(report::read(file, "")));
}

/// Reads messages of both sides of a worker.
pub fn frame(bytes: &[u8]) {
    let (mut events, mut requests) = (bytes, bytes);
    while receive::<Event>(&mut events).is_ok() {}
    while receive::<Request>(&mut requests).is_ok() {}
}

/// Finds the places for probes in a test source, and writes the probes into it.
pub fn source(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(found) = finder::places(&text) else { return };
    let chosen: Vec<_> = found.places.iter().collect();
    let _ = instrument::weave::weave(&text, &chosen, 0);
}

fn with_file(bytes: &[u8], read: impl FnOnce(&std::path::Path)) {
    let file = PathBuf::from(format!("{}/reneri-fuzz-{}", std::env::temp_dir().display(), std::process::id()));
    if std::fs::write(&file, bytes).is_ok() {
        read(&file);
    }
    let _ = std::fs::remove_file(&file);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::{Duration, Instant};

    /// The time of all targets together, unless `RENERI_FUZZ_SECONDS` says otherwise.
    const SECONDS: u64 = 4;
    /// The longest time of one input.
    const LONGEST: Duration = Duration::from_secs(10);

    /// Numbers that break readers: ends of ranges, and lengths that nothing has.
    const NUMBERS: [u32; 8] = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff];

    /// Makes inputs from seeds; the same ones in each run.
    struct Mutator {
        state: u64,
    }

    impl Mutator {
        fn below(&mut self, limit: usize) -> usize {
            // Xorshift.
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            (self.state % limit.max(1) as u64) as usize
        }

        fn mutate(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
            let mut bytes = seeds[self.below(seeds.len())].clone();
            for _ in 0..1 + self.below(8) {
                let at = self.below(bytes.len());
                let length = self.below(32).min(bytes.len() - at);
                match self.below(7) {
                    0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                    1 => bytes.truncate(at),
                    2 => drop(bytes.drain(at..at + length)),
                    3 => {
                        let part = bytes[at..at + length].to_vec();
                        let times = 1 + self.below(200);
                        bytes.splice(at..at, part.repeat(times));
                    }
                    4 => {
                        let number = NUMBERS[self.below(NUMBERS.len())];
                        let big = number.to_be_bytes();
                        let size = 1 << self.below(3);
                        bytes.splice(at..(at + size).min(bytes.len()), big[4 - size..].iter().copied());
                    }
                    5 => {
                        let other = &seeds[self.below(seeds.len())];
                        let from = self.below(other.len());
                        bytes.truncate(at);
                        bytes.extend_from_slice(&other[from..]);
                    }
                    _ => bytes.insert(at, self.below(256) as u8),
                }
            }
            bytes
        }
    }

    fn seeds(target: &str) -> Vec<Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| std::fs::read(file).unwrap()).collect()
    }

    #[test]
    fn no_input_makes_a_reader_panic_or_hang() {
        let asked = std::env::var("RENERI_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
        let each = Duration::from_millis(asked.unwrap_or(SECONDS) * 1000 / TARGETS.len() as u64);
        for (name, run) in TARGETS {
            let (seeds, since) = (seeds(name), Instant::now());
            seeds.iter().for_each(|seed| run(seed));
            let mut mutator = Mutator { state: 0x9e37_79b9_7f4a_7c15 };
            let mut inputs = 0_u64;
            while since.elapsed() < each {
                let input = mutator.mutate(&seeds);
                let begin = Instant::now();
                if std::panic::catch_unwind(|| run(&input)).is_err() || begin.elapsed() > LONGEST {
                    let file = std::env::temp_dir().join(format!("reneri-fuzz-{name}-failed"));
                    std::fs::write(&file, &input).unwrap();
                    panic!("{name}: input {inputs} is kept in {}", file.display());
                }
                inputs += 1;
            }
            println!("{name}: {inputs} inputs");
        }
    }
}
