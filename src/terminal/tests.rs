//! Tests of the lines on the terminal and in the log.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::stage::duration;
use super::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Collects everything written to both streams.
#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Scene {
    terminal: Terminal,
    screen: Screen,
    milliseconds: Arc<AtomicU64>,
}

impl Scene {
    fn new(verbosity: Verbosity) -> Self {
        let screen = Screen::default();
        let milliseconds = Arc::new(AtomicU64::new(0));
        let time = Arc::clone(&milliseconds);
        let stream = || -> Box<dyn Write + Send> {
            let screen: Box<dyn Write + Send> = Box::new(screen.clone());
            Box::new(anstream::StripStream::new(screen))
        };
        let terminal = Terminal::with(
            verbosity,
            stream(),
            stream(),
            None,
            Box::new(move || Duration::from_millis(time.load(Ordering::SeqCst))),
        );
        Self { terminal, screen, milliseconds }
    }

    fn later(&self, milliseconds: u64) {
        self.milliseconds.fetch_add(milliseconds, Ordering::SeqCst);
    }

    fn text(&self) -> String {
        String::from_utf8(self.screen.0.lock().clone()).unwrap()
    }
}

/// Plays a run that uses every kind of output.
fn play(scene: &Scene) {
    let terminal = &scene.terminal;
    let stage = terminal.stage("Asking Maven how the tests run", None);
    terminal.verbose("mvn -B test-compile");
    scene.later(10_000);
    stage.state.tell_if_due();
    scene.later(1_250);
    stage.finish();
    let stage = terminal.stage("Observing transformations", Some(40));
    for _ in 0..20 {
        scene.later(1_000);
        stage.advance(1);
    }
    terminal.warn("org.example.PortTest.binds() is unstable\u{1b}[2J");
    scene.later(100_000);
    stage.advance(20);
    stage.finish();
    let stage = terminal.stage("Writing the report", Some(3));
    scene.later(5);
    stage.advance(1);
    drop(stage);
    terminal.summary("4 findings: target/reneri/report.md\n");
    terminal.error(&Error::usage("There is no folder x.", "Give --project another."));
}

#[test]
fn lines_with_indented_lines_below_are_highlighted() {
    let styled = with_headings("2 findings.\n\nStack.java:4  weak-oracle\n  pop()\n  Assert it.\n\nReport: x\n");
    let heading = format!("{HEADING}Stack.java:4  weak-oracle{HEADING:#}");
    assert_eq!(styled, format!("2 findings.\n\n{heading}\n  pop()\n  Assert it.\n\nReport: x\n"));
}

#[test]
fn without_a_terminal_there_are_plain_lines() {
    let scene = Scene::new(Verbosity::Normal);
    play(&scene);
    assert_eq!(
        scene.text(),
        "\
Asking Maven how the tests run
Asking Maven how the tests run: still running after 10 s
Asking Maven how the tests run: done, in 11 s
Observing transformations (40)
Observing transformations: 10 of 40, 1.0/s, about 30 s left
Observing transformations: 20 of 40, 1.0/s, about 20 s left
warning: org.example.PortTest.binds() is unstable\\u{1b}[2J
Observing transformations: done, 40 in 2 min 0 s
Writing the report (3)
Writing the report: stopped, 1 of 3 after 0.0 s
4 findings: target/reneri/report.md
error: There is no folder x.
Give --project another.
"
    );
}

#[test]
fn a_stage_may_learn_its_total_later() {
    let scene = Scene::new(Verbosity::Normal);
    let stage = scene.terminal.stage("Running the tests", None);
    scene.later(10_000);
    stage.advance(30);
    stage.expect(Some(stage.done() + 60));
    scene.later(10_000);
    stage.advance(10);
    scene.later(10_000);
    stage.advance(50);
    stage.finish();
    assert_eq!(
        scene.text(),
        "\
Running the tests
Running the tests: 30 after 10 s
Running the tests: 40 of 90, 2.0/s, about 25 s left
Running the tests: done, in 30 s
"
    );
}

#[test]
fn quiet_shows_warnings_and_errors_only() {
    let scene = Scene::new(Verbosity::Quiet);
    play(&scene);
    let text = scene.text();
    let labels: Vec<&str> = text.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(labels, ["warning", "error", "Give --project another."]);
}

#[test]
fn verbose_also_shows_commands() {
    let scene = Scene::new(Verbosity::Verbose);
    play(&scene);
    assert!(scene.text().contains("\nmvn -B test-compile\n"));
}

#[test]
fn the_log_gets_everything_with_times_even_lines_from_before_it_was_opened() {
    let scene = Scene::new(Verbosity::Quiet);
    scene.terminal.verbose("before");
    scene.later(12_345);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("target/reneri");
    scene.terminal.log_to(&output).unwrap();
    play(&scene);
    let log = std::fs::read_to_string(output.join("reneri.log")).unwrap();
    assert!(log.starts_with("[    0.000] before\n[   12.345] Asking Maven how the tests run\n"), "{log}");
    for part in
        ["mvn -B test-compile", "warning: org.example", "4 findings", "error: There is no folder x.", "done, 40"]
    {
        assert!(log.contains(part), "{part} in {log}");
    }
    assert!(!log.contains('\u{1b}'));
}

#[test]
fn an_unwritable_output_folder_is_an_error_with_the_next_step() {
    let scene = Scene::new(Verbosity::Normal);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = scene.terminal.log_to(&file.join("reneri")).unwrap_err();
    assert_eq!(error.exit_code, crate::base::error::ExitCode::Usage);
    assert!(error.to_string().ends_with("Give --output a folder that can be written."));
}

#[test]
fn several_threads_may_advance_a_stage() {
    let scene = Scene::new(Verbosity::Normal);
    let stage = scene.terminal.stage("Detecting", Some(4_000));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1_000).for_each(|_| stage.advance(1)));
        }
    });
    stage.finish();
    assert!(scene.text().ends_with("Detecting: done, 4000 in 0.0 s\n"), "{}", scene.text());
}

#[test]
fn a_stage_dropped_after_its_last_step_is_done() {
    let scene = Scene::new(Verbosity::Normal);
    let stage = scene.terminal.stage("Detecting", Some(1));
    stage.advance(1);
    drop(stage);
    assert!(scene.text().contains("Detecting: done, 1 in"));
}

#[test]
fn durations_are_short() {
    let text = |milliseconds| duration(Duration::from_millis(milliseconds));
    assert_eq!([text(40), text(9_940), text(9_960), text(59_000)], ["0.0 s", "9.9 s", "10 s", "59 s"]);
    assert_eq!([text(61_000), text(7_620_000)], ["1 min 1 s", "2 h 7 min"]);
}

#[test]
fn the_time_left_is_told_after_a_tenth_and_never_grows() {
    let scene = Scene::new(Verbosity::Normal);
    let stage = scene.terminal.stage("Observing", Some(20));
    for (seconds, steps) in [(10, 1), (10, 4), (60, 1), (10, 9)] {
        scene.later(seconds * 1_000);
        stage.advance(steps);
    }
    stage.advance(5);
    stage.finish();
    assert_eq!(
        scene.text(),
        "\
Observing (20)
Observing: 1 of 20 after 10 s, 0.1/s
Observing: 5 of 20, 0.2/s, about 1 min 0 s left
Observing: 6 of 20 after 1 min 20 s, 0.1/s
Observing: 15 of 20, 0.2/s, about 30 s left
Observing: done, 20 in 1 min 30 s
"
    );
}
