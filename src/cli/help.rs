//! Examples and exit codes that `--help` shows below the options.

pub(super) const EXAMPLES: &str = "\
Examples:
  reneri analyze                             the project in the current folder
  reneri analyze --project ../commons-cli    another project
  reneri analyze --runs 20 --fail-on any     more repetitions; exit code 2 if anything is found
  reneri analyze --since main                only what changed since main: before a push
  reneri analyze --baseline main.json --fail-on new    exit code 2 if there is a finding that main.json does not have
  reneri analyze --format html,sarif         also a page with pictures, and what code scanning reads
  reneri analyze --transformations null,empty --disable-stop-rule to-string

The report for people is target/reneri/report.md (short: summary.md), the one for programs target/reneri/report.json,
and target/reneri/reneri.log tells what was done. Nothing else of the project is written to.
";

pub(super) const MERGE_EXAMPLES: &str = "\
Examples:
  reneri analyze --shard 1/3 --output part-1     and 2/3, 3/3 elsewhere
  reneri merge part-*/report.json --fail-on any
";

pub(super) const LIST_EXAMPLES: &str = "\
Examples:
  reneri list                                                  of the project in the current folder
  reneri list --transformations all --disable-stop-rule all    everything that can be transformed
  reneri list | awk -F '\t' '$3 == \"getter\"'                  the methods that the rule `getter` leaves out
  reneri list --json                                           for programs
";

pub(super) const SHOW_EXAMPLES: &str = "\
Examples:
  reneri show 3a36d4b6bd
  reneri show --project ../commons-cli 'org.example.Stack.isEmpty()Z/true'
";

pub(super) const VERIFY_EXAMPLES: &str = "\
Examples:
  reneri verify 3a36d4b6bd
  reneri verify 3a36d4b6bd 0d15f16361 --project ../commons-cli
";

pub(super) const FIX_EXAMPLES: &str = "\
Examples:
  reneri fix 3a36d4b6bd            the patch, to look at
  reneri fix 3a36d4b6bd --apply
  reneri fix --all --apply         all verified patches in one go
";

pub(super) const CONFIG_EXAMPLES: &str = "\
Examples:
  reneri config                  of the project in the current folder
  reneri config --runs 20        what `reneri analyze --runs 20` would work with
  reneri config --no-config      the defaults
";

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  reneri explain                     the list of all
  reneri explain no-propagation      a symptom
  reneri explain call-directly       a suggestion, with an example
  reneri explain getter              a rule that leaves methods out
";

pub(super) const EXIT_CODES: &str = "\
Exit codes:
    0  done
    1  wrong usage or configuration (an unknown option, a folder that cannot be written)
    2  there are findings, and --fail-on or --max-undetected says that they fail the run;
       `verify`: one is not detected; `fix`: a patch is left out
    3  the project does not build or has no tests; no JDK or no Maven was found
    4  tests fail before any change
    5  the diff does not match the tree
   70  a bug in reneri
   71  the machine ended or stopped the JVMs of the tests again and again (memory?)
  130  stopped by Ctrl-C
";
