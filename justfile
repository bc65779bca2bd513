# Run `just` to list the recipes. All of them call the same script as CI.

_default:
    @just --list

# Format, lints and unit tests: before every commit.
check:
    .ci/run format lint unit

# The unit tests whose names contain a word.
unit *FILTER:
    cargo test --lib {{ FILTER }}

# The integration tests whose names contain a word, for example `just it formats`.
it *FILTER:
    cargo test --test it {{ FILTER }}

# The documentation of the code, opened in a browser.
doc:
    cargo doc --no-deps --document-private-items --open

# Everything that CI runs; it needs Maven, a JDK and about 20 minutes.
full:
    .ci/run
