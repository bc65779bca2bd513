//! The binary: hands the command line to the library. A worker is this same binary, started again.

use reneri::cli::Commands;

#[global_allocator]
static ALLOCATOR: reneri::jvm::allocator::Allocator = reneri::jvm::allocator::Allocator;

fn main() -> std::process::ExitCode {
    reneri::cli::run(Commands {
        analyze: reneri::commands::analyze::run,
        merge: reneri::commands::merge::run,
        doctor: reneri::commands::doctor::run,
        list: reneri::commands::list::run,
        show: reneri::commands::show::run,
        fix: reneri::commands::fix::run,
        verify: reneri::commands::verify::run,
        explain: reneri::commands::explain::run,
        worker: reneri::jvm::worker::serve,
    })
}
