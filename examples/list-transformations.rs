//! Prints the transformations of class folders: class, method, descriptor and transformation, separated
//! by tabs.
//!
//! usage: list-transformations [--stopped] [--transformations NAME,…] [--without RULE,…] FOLDER…
//!
//! With `--stopped`, it prints the methods that a stop rule excludes instead, with the rule in the last
//! column.

use reneri::base::error::{Error, Result};
use reneri::base::id::IdSlice;
use reneri::classfile::compiled_classes::CompiledClasses;
use reneri::transform::{Selection, list};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit_code as u8)
        }
    }
}

fn run() -> Result<()> {
    let usage =
        || Error::usage("A value or a folder is missing.", "See the first lines of examples/list-transformations.rs.");
    let names = |value: String| value.split(',').map(str::to_string).collect::<Vec<_>>();
    let (mut transformations, mut without, mut stopped, mut folders) = (None, Vec::new(), false, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--stopped" => stopped = true,
            "--transformations" => transformations = Some(names(arguments.next().ok_or_else(usage)?)),
            "--without" => without = names(arguments.next().ok_or_else(usage)?),
            folder => folders.push(PathBuf::from(folder)),
        }
    }
    if folders.is_empty() {
        return Err(usage());
    }
    let listed = list(&CompiledClasses::read(IdSlice::new(&folders))?, &Selection::new(transformations, without)?)?;
    let mut lines = Vec::new();
    if stopped {
        for entry in &listed.stopped {
            let method = &entry.method;
            lines.push(format!("{}\t{}\t{}\t{}", method.class, method.name, method.descriptor, entry.rule));
        }
    } else {
        for transformation in &listed.transformations {
            let method = &listed.methods[transformation.method];
            lines.push(format!("{}\t{}\t{}\t{}", method.class, method.name, method.descriptor, transformation.name));
        }
    }
    // A reader that stops early (`head`) is no error.
    let _ = writeln!(std::io::stdout(), "{}", lines.join("\n"));
    Ok(())
}
