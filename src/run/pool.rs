//! Owns the JVMs of an analysis and lends them to the stages, so that they live on from one stage to
//! the next.

use super::priority::PriorityMutex;
use super::session::Session;
use crate::base::error::{Error, Result};
use crate::jvm::client::Launch;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A stage may use this many JVMs in turn, even if only one may run tests at a time.
const LEAST: usize = 3;

/// The JVMs of an analysis. A stage names them by their numbers, and never owns one.
#[derive(Debug)]
pub struct Pool {
    jobs: usize,
    slots: Vec<PriorityMutex<Option<Session>>>,
}

/// A piece of work for one JVM.
#[derive(Clone, Copy, Debug)]
pub struct Task<T> {
    /// The JVM that has to do it; `None` for the one that is free first.
    pub slot: Option<usize>,
    pub work: T,
}

/// The JVMs that carry out tasks.
#[derive(Clone, Copy)]
pub struct Crew<'a> {
    pub launch: &'a Arc<Launch>,
    /// Numbers of the JVMs.
    pub slots: &'a [usize],
    /// Whether they work at the same time. Otherwise the first JVM carries out its tasks, then the
    /// next one.
    pub at_once: bool,
    /// A JVM that several crews wait for goes to the one with the smallest number.
    pub priority: usize,
}

impl Pool {
    /// A pool of JVMs, of which this many may run tests at the same time. None is started before it
    /// is needed.
    #[must_use]
    pub fn new(jobs: usize) -> Self {
        Self { jobs, slots: (0..jobs.max(LEAST)).map(|_| PriorityMutex::default()).collect() }
    }

    /// The number of JVMs that may run tests at the same time.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// The number of a JVM for other work than that of the first ones.
    #[must_use]
    pub fn spare(&self) -> usize {
        self.slots.len().saturating_sub(1)
    }

    /// Carries out tasks. Each JVM takes those that it may carry out, in this order. The results
    /// are in the order of the tasks. After an error no further task begins. `work` receives the
    /// session of a JVM, the number of that JVM, and the task's work.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn run<T: Sync, R: Send>(
        &self,
        crew: Crew<'_>,
        tasks: &[Task<T>],
        work: impl Fn(&mut Session, usize, &T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let taken: Vec<AtomicBool> = tasks.iter().map(|_| AtomicBool::new(false)).collect();
        let has_failed = AtomicBool::new(false);
        let results: Mutex<Vec<(usize, R)>> = Mutex::default();
        let run_in = |slot: usize| {
            self.lend(slot, crew.launch, crew.priority, |session| {
                for (index, (task, taken)) in tasks.iter().zip(&taken).enumerate() {
                    if has_failed.load(Ordering::Relaxed) {
                        break;
                    }
                    if task.slot.is_some_and(|wanted| wanted != slot) || taken.swap(true, Ordering::Relaxed) {
                        continue;
                    }
                    let result = work(session, slot, &task.work);
                    has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    results.lock().push((index, result?));
                }
                Ok(())
            })
        };
        if crew.at_once {
            std::thread::scope(|scope| {
                let run_in = &run_in;
                let threads: Vec<_> = crew.slots.iter().map(|slot| scope.spawn(move || run_in(*slot))).collect();
                let panicked = |_| Err(Error::bug("A thread that runs tests panicked."));
                threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(panicked))
            })?;
        } else {
            crew.slots.iter().try_for_each(|slot| run_in(*slot))?;
        }
        let mut results = results.into_inner();
        results.sort_by_key(|(index, _)| *index);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    /// Uses one JVM with a launch.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn run_in<R>(
        &self,
        slot: usize,
        launch: &Arc<Launch>,
        work: impl FnOnce(&mut Session) -> Result<R>,
    ) -> Result<R> {
        self.lend(slot, launch, 0, work)
    }

    /// Waits for a JVM, and lends it for a launch.
    fn lend<R>(
        &self,
        slot: usize,
        launch: &Arc<Launch>,
        priority: usize,
        work: impl FnOnce(&mut Session) -> Result<R>,
    ) -> Result<R> {
        let Some(slot) = self.slots.get(slot) else {
            return Err(Error::bug(format!("There is no JVM number {slot}.")));
        };
        let mut session = slot.lock(priority);
        let session = session.get_or_insert_with(|| Session::new(Arc::clone(launch)));
        session.switch_to(launch);
        work(session)
    }

    /// Ends the JVM with this number.
    pub fn end(&self, slot: usize) {
        self.slots.get(slot).into_iter().for_each(|slot| *slot.lock(0) = None);
    }

    /// Ends all JVMs but the first `count` of those in which further tests can run. These get the
    /// first numbers.
    pub fn keep(&self, count: usize) {
        let mut sessions: Vec<Session> = self.slots.iter().filter_map(|slot| slot.lock(0).take()).collect();
        sessions.retain(Session::is_alive);
        sessions.truncate(count);
        for (slot, session) in self.slots.iter().zip(sessions) {
            *slot.lock(0) = Some(session);
        }
    }

    /// Ends the stage. The usage of the JVMs so far counts for that stage.
    pub fn end_stage(&self) {
        for slot in &self.slots {
            slot.lock(0).iter_mut().for_each(Session::end_stage);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::fake::{Act, FakeJvms};
    use super::super::job::{Job, Start};
    use super::*;
    use crate::base::id::{GuardId, TestId};
    use crate::jvm::protocol::{Limit, Record, RunTest, World};

    fn jvms() -> FakeJvms {
        FakeJvms::new(|_: Option<GuardId>, _: &str, _: bool| Act::Pass, &[])
    }

    fn job() -> Job {
        let limit = Limit::of_time(1);
        Job {
            tests: vec![RunTest { number: TestId(0), id: "a".into(), limit }],
            transformation: None,
            record: Record::Coverage,
            start: Start::Clean,
            whole_classes: false,
            stop_at_first_failure: false,
            next_number: TestId(1),
            other_limit: limit,
            world: World::default(),
        }
    }

    #[test]
    fn tasks_run_where_they_have_to_and_results_keep_their_order() {
        let jvms = jvms();
        let (pool, launch) = (Pool::new(2), Arc::new(jvms.launch()));
        let slots = [Some(1), None, Some(0), None, Some(1)];
        let tasks: Vec<Task<usize>> = (0..).zip(slots).map(|(work, slot)| Task { slot, work }).collect();
        for at_once in [false, true] {
            let crew = Crew { launch: &launch, slots: &[0, 1], at_once, priority: 0 };
            let results = pool.run(crew, &tasks, |session, _, work| session.run(&job()).map(|_| *work)).unwrap();
            assert_eq!(results, [0, 1, 2, 3, 4]);
        }
        assert_eq!(jvms.starts(), 2, "both JVMs live on");
        pool.end(0);
        pool.keep(1);
        let is_alive = |slot: usize| pool.run_in(slot, &launch, |session| Ok(session.is_alive())).unwrap();
        assert_eq!([0, 1].map(is_alive), [true, false], "the one that lives has the first number");
    }

    #[test]
    fn a_launch_that_differs_in_classes_only_keeps_the_jvm() {
        let jvms = jvms();
        let pool = Pool::new(1);
        let run = |launch: Launch| {
            pool.run_in(0, &Arc::new(launch), |session| session.run(&job())).unwrap();
            jvms.starts()
        };
        assert_eq!(run(jvms.launch()), 1);
        let mut launch = jvms.launch();
        launch.start.expressions = 7;
        assert_eq!(run(launch.clone()), 1);
        launch.start.options.push("-Xmx1g".into());
        assert_eq!(run(launch), 2);
    }

    #[test]
    fn a_jvm_serves_one_recipe_and_one_jdk() {
        let jvms = jvms();
        let pool = Pool::new(1);
        let run = |launch: Launch| {
            pool.run_in(0, &Arc::new(launch), |session| session.run(&job())).unwrap();
            jvms.starts()
        };
        let launch = jvms.launch();
        assert_eq!(run(launch.clone()), 1);
        let of_second_recipe = Launch { recipe: "second".into(), ..launch.clone() };
        assert_eq!(run(of_second_recipe), 2);
        let mut with_other_jdk = Launch { recipe: "second".into(), ..launch };
        with_other_jdk.start.libjvm = "jdk-8/libjvm.so".into();
        assert_eq!(run(with_other_jdk), 3);
    }

    #[test]
    fn no_task_begins_after_an_error() {
        let jvms = jvms();
        let (pool, launch) = (Pool::new(1), Arc::new(jvms.launch()));
        let crew = Crew { launch: &launch, slots: &[0], at_once: true, priority: 0 };
        let tasks: Vec<Task<usize>> = (0..3).map(|work| Task { slot: None, work }).collect();
        let begun = Mutex::new(Vec::new());
        let result = pool.run(crew, &tasks, |_, _, work| {
            begun.lock().push(*work);
            if *work == 1 { Err(Error::bug("no")) } else { Ok(()) }
        });
        assert!(result.is_err());
        assert_eq!(*begun.lock(), [0, 1]);
    }
}
