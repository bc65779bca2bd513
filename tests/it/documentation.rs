//! Runs every command of the documentation on a test project and compares the output with the page.
//! Every option that a page names must exist.

use crate::common::{copy, printed};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Beginnings of commands that are not run here, with the reason.
const NOT_RUN: [(&str, &str); 5] = [
    ("cargo test", "it runs this test"),
    ("cargo install --path .", "it compiles all of reneri once more; tests run what it would install"),
    ("mvn -f maven-plugin install", "tests/it/maven_plugin.rs runs it, with a local repository of its own"),
    ("mvn io.github.reneri:reneri-maven-plugin:0.1.0:analyze", "tests/it/maven_plugin.rs runs it"),
    ("gradle ", "there is no Gradle where the tests run (docs/gradle.md says what was tried by hand)"),
];

type Prepare = fn(&Surroundings, &Page);

/// Conditions that a page assumes.
const PREPARATIONS: [(&str, Prepare); 3] = [
    ("docs/configuration.md", |surroundings, page| {
        let file = page.blocks.iter().find(|block| block.language == "toml").unwrap();
        surroundings.write("reneri.toml", &file.text);
    }),
    ("docs/gradle.md", |surroundings, page| {
        // Lays out files as the recipe on the page describes, and compiles them without reneri.
        let script = "mvn -B -q test-compile dependency:copy-dependencies -DoutputDirectory=lib
            mkdir out && cp -r target/classes target/test-classes out";
        surroundings.succeeds(script);
        let recipe = page.blocks.iter().find(|block| block.language == "json").unwrap();
        surroundings.write("build/reneri/recipe.json", &recipe.text);
    }),
    ("docs/pull-requests.md", |surroundings, _| {
        surroundings.succeeds(
            "reneri analyze --quiet && cp target/reneri/report.json target/main.json
            git update-ref refs/remotes/origin/main main && git switch -qc a-branch
            sed -i 's/version++/version += 1/' src/main/java/org/example/VersionedSet.java
            git commit -qam 'Another body'",
        );
    }),
];

/// Placeholders in commands, with the values that a user would type.
const PLACEHOLDERS: [(&str, &str); 3] = [("ID", "77b686a23c"), ("NAME", "getter"), ("SHELL", "bash")];

/// Options of other programs that the pages name.
const OPTIONS_OF_OTHERS: [&str; 2] = ["--add-opens", "--tests"];

struct Block {
    /// Empty for a block that is only indented.
    language: String,
    text: String,
}

struct Page {
    /// Relative to the folder of reneri's sources.
    name: String,
    blocks: Vec<Block>,
    /// Code spans in running text.
    spans: Vec<String>,
    /// Targets of links and pictures.
    targets: Vec<String>,
}

/// A line that begins with `$ `, and the output shown below it.
struct Shown {
    command: String,
    output: String,
}

impl Page {
    fn read(name: String) -> Self {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&name)).unwrap();
        let (mut blocks, mut spans, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        let source = Regex::new("(?:src|srcset)=\"([^\"]*)\"").unwrap();
        let mut block: Option<Block> = None;
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.into_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    block = Some(Block { language, text: String::new() });
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(block.take()),
                Event::Text(text) => block.iter_mut().for_each(|block| block.text += &text),
                Event::Code(code) => spans.push(code.into_string()),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    targets.push(dest_url.into_string());
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    targets.extend(source.captures_iter(&html).map(|found| found[1].to_owned()));
                }
                _ => {}
            }
        }
        Self { name, blocks, spans, targets }
    }

    fn commands(&self) -> Vec<Shown> {
        let mut commands: Vec<Shown> = Vec::new();
        for block in &self.blocks {
            match block.language.as_str() {
                "console" => {
                    assert!(block.text.starts_with("$ "), "{}: a console begins with a command", self.name);
                    for line in block.text.lines() {
                        match line.strip_prefix("$ ") {
                            Some(command) => {
                                commands.push(Shown { command: command.to_owned(), output: String::new() });
                            }
                            None => commands.last_mut().unwrap().output += &format!("{line}\n"),
                        }
                    }
                }
                // The steps of a CI service, once for each job of its matrix.
                "yaml" => {
                    for step in block.text.lines().filter_map(|line| line.trim().strip_prefix("- run: ")) {
                        let jobs = if step.contains("matrix") { 1..=3 } else { 1..=1 };
                        commands.extend(jobs.map(|job| Shown {
                            command: step.replace("${{ matrix.part }}", &job.to_string()),
                            output: String::new(),
                        }));
                    }
                }
                _ => {}
            }
        }
        commands
    }
}

fn pages() -> Vec<Page> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let names = std::fs::read_dir(docs).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    names.sort();
    names.insert(0, "README.md".to_owned());
    names.into_iter().map(Page::read).collect()
}

/// A copy of reneri's folder with a test project in a repository, and the programs that readers of
/// the pages have.
struct Surroundings {
    folder: tempfile::TempDir,
}

impl Surroundings {
    fn new() -> Self {
        let surroundings = Self { folder: tempfile::tempdir().unwrap() };
        let programs = surroundings.programs();
        std::fs::create_dir_all(&programs).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_reneri"), programs.join("reneri")).unwrap();
        // Without a terminal, `less` does the same. `cargo run` would compile first, so the
        // compiled binary is used.
        surroundings.program("less", "exec cat \"$@\"");
        surroundings
            .program("cargo", "[ \"$1 $2 $3\" = \"run --release --\" ] || exit 99\nshift 3\nexec reneri \"$@\"");
        std::fs::create_dir(surroundings.folder.path().join("test-projects")).unwrap();
        std::fs::rename(copy("versioned-set").root, surroundings.project()).unwrap();
        surroundings.write(".gitignore", "target\n");
        surroundings.succeeds("git init -q -b main && git add . && git commit -qm 'As it is'");
        surroundings
    }

    fn programs(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    fn program(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let file = self.programs().join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("test-projects/versioned-set")
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.project().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// Runs the command with a shell in the folder of the project, or in that of reneri's sources
    /// if it is about them.
    fn run(&self, command: &str) -> Output {
        let project = self.project();
        let folder = if command.starts_with("cargo ") { self.folder.path() } else { &project };
        let others = std::env::var_os("PATH").unwrap();
        let path = std::env::join_paths(std::iter::once(self.programs()).chain(std::env::split_paths(&others)));
        let mut shell = Command::new("bash");
        shell.args(["-e", "-o", "pipefail", "-c", &format!("exec 2>&1\n{command}")]).current_dir(folder);
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
            shell.env(name, "nobody");
        }
        shell.env_remove("GITHUB_ACTIONS").env("PATH", path.unwrap()).output().unwrap()
    }

    fn succeeds(&self, command: &str) {
        let output = self.run(command);
        assert!(output.status.success(), "{command}\n{}", printed(&output));
    }

    /// Restores the initial state, except for what reneri and Maven wrote into `target`.
    fn restore(&self) {
        self.succeeds("git checkout -qf main && git clean -qfd");
    }
}

/// Whether the shown text matches the printed one: `…` stands for any text, and alone on a line for
/// any lines.
fn fits(shown: &str, printed: &str) -> bool {
    let line = |line: &str| match line {
        "…" => "(?:.*\n)*".to_owned(),
        line => line.split('…').map(regex::escape).collect::<Vec<_>>().join(".*") + " *\n",
    };
    let pattern: String = shown.lines().map(line).collect();
    Regex::new(&format!("^{pattern}$")).unwrap().is_match(printed)
}

#[test]
fn every_command_does_what_its_page_shows() {
    let surroundings = Surroundings::new();
    let mut not_run = NOT_RUN.map(|(beginning, _)| (beginning, false));
    let mut ran = 0;
    for page in pages() {
        let commands = page.commands();
        let prepare = PREPARATIONS.iter().find(|(name, _)| *name == page.name);
        if let (Some((_, prepare)), false) = (prepare, commands.is_empty()) {
            prepare(&surroundings, &page);
        }
        for Shown { command, output: shown } in commands {
            if let Some((_, used)) = not_run.iter_mut().find(|(beginning, _)| command.starts_with(beginning)) {
                *used = true;
                continue;
            }
            ran += 1;
            let begin = std::time::Instant::now();
            let output = surroundings.run(&command);
            eprintln!("{:5.1} s  {}: $ {command}", begin.elapsed().as_secs_f64(), page.name);
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            // If there are findings, a command may exit with 2: some commands are shown for that.
            assert!(matches!(output.status.code(), Some(0 | 2)), "{}: $ {command}\n{text}", page.name);
            assert!(shown.is_empty() || fits(&shown, &text), "{}: $ {command}\n{shown}\nbut:\n{text}", page.name);
        }
        surroundings.restore();
    }
    assert!(ran > 15, "only {ran} commands were found: the test looks at the wrong place");
    assert!(not_run.iter().all(|(_, used)| *used), "no page has this command any more: {not_run:?}");
}

#[test]
fn what_is_linked_is_there() {
    let mut seen = 0;
    for Page { name, targets, .. } in pages() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(&name);
        let folder = folder.parent().unwrap();
        for target in targets.iter().filter(|target| !target.contains("://")) {
            let file = target.split('#').next().unwrap();
            seen += 1;
            assert!(folder.join(file).exists(), "{name}: there is no {target}");
        }
    }
    assert!(seen > 10, "only {seen} were found: the test looks at the wrong place");
}

#[test]
fn commands_stand_in_consoles() {
    let command = Regex::new(r"(?m)^(?:\$ )?(?:reneri|cargo|mvn|git|gradle) ").unwrap();
    for page in pages() {
        for block in page.blocks.iter().filter(|block| block.language != "console") {
            assert!(!command.is_match(&block.text), "{}: no test runs this:\n{}", page.name, block.text);
        }
    }
}

#[test]
fn every_command_and_option_named_in_a_sentence_exists() {
    let parse = |words: &[&str]| reneri::cli::parse(words.iter().map(std::ffi::OsString::from));
    let help: String = ["analyze", "fix"]
        .iter()
        .map(|command| Command::new(env!("CARGO_BIN_EXE_reneri")).args([command, "--help"]).output().unwrap())
        .map(|help| String::from_utf8(help.stdout).unwrap())
        .collect();
    let mut seen = 0;
    for Page { name, spans, .. } in pages() {
        for span in spans {
            let words: Vec<&str> = span.split_whitespace().collect();
            match words.as_slice() {
                ["reneri", command] => {
                    seen += 1;
                    assert!(parse(&["reneri", command, "--help"]).is_ok(), "{name}: there is no `{span}`");
                }
                ["reneri", _, ..] => {
                    seen += 1;
                    let word = |word: &&str| PLACEHOLDERS.iter().find(|(name, _)| name == word).map(|(_, word)| *word);
                    let words: Vec<&str> = words.iter().map(|given| word(given).unwrap_or(given)).collect();
                    assert!(parse(&words).is_ok(), "{name}: `{span}`: {}", parse(&words).unwrap_err());
                }
                [option, ..] if option.starts_with("--") => {
                    seen += 1;
                    let option = option.split('=').next().unwrap();
                    let exists = Regex::new(&format!(r"{}\b", regex::escape(option))).unwrap().is_match(&help);
                    assert!(exists || OPTIONS_OF_OTHERS.contains(&option), "{name}: there is no `{option}`");
                }
                _ => {}
            }
        }
    }
    assert!(seen > 60, "only {seen} were found: the test looks at the wrong place");
}

#[test]
fn three_dots_stand_for_what_varies_and_nothing_else_does() {
    let printed = "one\ndone, in 2.3 s\nthree\nfour\n";
    for shown in ["one\ndone, in … s\nthree\nfour\n", "…\nfour\n", "one\n…\n", "…\ndone…\n…\n"] {
        assert!(fits(shown, printed), "{shown}");
    }
    for shown in ["one\n", "one\ntwo\nthree\nfour\n", "…\nfive\n", "done…\n…\n", "one\n…\nfou\n"] {
        assert!(!fits(shown, printed), "{shown}");
    }
}
