//! The binary: hands the command line to the library. A worker is this same binary, started again.

fn main() -> std::process::ExitCode {
    reneri::cli::run(reneri::pipeline::analyze, reneri::doctor::examine, reneri::jvm::worker::serve)
}
