//! The binary: hands the command line to the library. A worker is this same binary, started again.

use reneri::cli::Commands;

/// What JVMs record comes in many small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    reneri::cli::run(Commands {
        analyze: reneri::pipeline::analyze,
        merge: reneri::pipeline::merge,
        doctor: reneri::doctor::examine,
        list: reneri::listing::print,
        show: reneri::show::print,
        fix: reneri::apply::run,
        verify: reneri::verify::print,
        explain: reneri::explain::explain,
        worker: reneri::jvm::worker::serve,
    })
}
