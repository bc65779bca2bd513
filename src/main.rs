//! The binary: hands the command line to the library. A worker is this same binary, started again.

use reneri::cli::Commands;

/// What JVMs record comes in many small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    reneri::cli::run(Commands {
        analyze: reneri::pipeline::analyze,
        merge: reneri::pipeline::merge,
        doctor: reneri::commands::doctor::examine,
        list: reneri::commands::list::print,
        show: reneri::commands::show::print,
        fix: reneri::commands::fix::run,
        verify: reneri::commands::verify::print,
        explain: reneri::commands::explain::explain,
        worker: reneri::jvm::worker::serve,
    })
}
