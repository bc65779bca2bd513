//! The processes that reneri starts, and those that tests leave behind: all of them end with the run.
//!
//! Each process that is started by [`spawn`] leads a group of its own, so that a test that ends its group ends only itself.
//! A process that leaves the group of a worker becomes a child of reneri when the worker ends ([`adopt_orphans`]), and
//! [`end_orphans`] ends it.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// Most times that orphans are looked for: each may have had children.
const GENERATIONS: usize = 50;
const BETWEEN_GENERATIONS: Duration = Duration::from_millis(2);

static CHILDREN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
/// Whether no process may be started any more.
static ENDING: AtomicBool = AtomicBool::new(false);

/// A command to start, and where the result goes.
type Order = (Command, Sender<io::Result<Child>>);

/// The thread that starts all processes. A parent-death signal comes when the thread ends that has started the process, so
/// that thread has to live as long as reneri.
static STARTER: LazyLock<Option<Sender<Order>>> = LazyLock::new(|| {
    let (sender, orders) = channel::<Order>();
    let work = move || {
        for (command, answer) in orders {
            let _ = answer.send(spawn_here(command));
        }
    };
    std::thread::Builder::new().name("starter".into()).spawn(work).ok().map(|_| sender)
});

/// Starts a process in a group of its own, and remembers it until [`forget`].
///
/// # Errors
/// If the process cannot be started.
pub fn spawn(mut command: Command) -> io::Result<Child> {
    command.process_group(0);
    let Some(starter) = &*STARTER else { return spawn_here(command) };
    let (sender, answer) = channel();
    starter.send((command, sender)).map_err(io::Error::other)?;
    answer.recv().map_err(io::Error::other)?
}

fn spawn_here(mut command: Command) -> io::Result<Child> {
    // Held until the child is remembered: it must not be taken for an orphan.
    let mut children = CHILDREN.lock();
    let child = command.spawn()?;
    children.insert(child.id());
    drop(children);
    // `end_all` sets the flag before it reads the list, so one of both sees the other.
    if ENDING.load(Ordering::SeqCst) {
        kill_group(child.id());
    }
    Ok(child)
}

/// Forgets a process that has ended, because the system may reuse its id.
pub fn forget(pid: u32) {
    CHILDREN.lock().remove(&pid);
}

/// Ends every process that was started, with its group, and lets no other one start.
pub fn end_all() {
    ENDING.store(true, Ordering::SeqCst);
    for pid in CHILDREN.lock().iter() {
        kill_group(*pid);
    }
    end_orphans();
}

/// Ends a process with all of its group.
pub fn kill_group(pid: u32) {
    use nix::sys::signal::{Signal, killpg};
    // 0 and 1 would mean the own group and init.
    if let Some(pid) = as_pid(pid) {
        let _ = killpg(pid, Signal::SIGKILL);
    }
}

/// Ends a process and all that it has started, as far as that has not left it.
pub fn kill_tree(pid: u32) {
    let mut tree = vec![pid];
    let mut at = 0;
    while let Some(parent) = tree.get(at).copied() {
        tree.extend(of(&parent.to_string()));
        at += 1;
    }
    for pid in tree.into_iter().filter_map(as_pid) {
        let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
    }
}

/// Makes processes whose parent has ended children of this one, instead of children of init.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Ends the children that this process has not started itself, and what they have started.
pub fn end_orphans() {
    let own_group = nix::unistd::getpgrp();
    for _ in 0..GENERATIONS {
        let known = CHILDREN.lock();
        let is_orphan = |pid: &u32| {
            let group = as_pid(*pid).and_then(|pid| nix::unistd::getpgid(Some(pid)).ok());
            let is_known =
                |group: nix::unistd::Pid| u32::try_from(group.as_raw()).is_ok_and(|group| known.contains(&group));
            group.is_some_and(|group| group != own_group && !is_known(group))
        };
        let orphans: Vec<u32> = of_this_process().into_iter().filter(is_orphan).collect();
        orphans.iter().for_each(|pid| end_child(*pid));
        drop(known);
        if orphans.is_empty() {
            return;
        }
        std::thread::sleep(BETWEEN_GENERATIONS);
    }
}

/// Ends all children of this process, and what they have started if it [adopts orphans](adopt_orphans).
pub fn end_own_children() {
    for _ in 0..GENERATIONS {
        let children = of_this_process();
        children.iter().for_each(|pid| end_child(*pid));
        if children.is_empty() {
            return;
        }
        std::thread::sleep(BETWEEN_GENERATIONS);
    }
}

fn end_child(pid: u32) {
    let Some(pid) = as_pid(pid) else { return };
    let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
    reap(pid);
}

/// Takes note of the end of a child that nobody waits for.
fn reap(pid: nix::unistd::Pid) {
    let _ = nix::sys::wait::waitpid(pid, Some(nix::sys::wait::WaitPidFlag::WNOHANG));
}

/// Takes note of the end of children that have been seen ended before, and returns those that have ended since. Called
/// now and then by a process that adopts orphans: somebody may wait until such a process is gone.
pub fn reap_abandoned(seen_ended: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut ended = BTreeSet::new();
    for child in of_this_process().into_iter().filter(|child| state(*child) == Some('Z')) {
        match as_pid(child) {
            Some(pid) if seen_ended.contains(&child) => reap(pid),
            _ => drop(ended.insert(child)),
        }
    }
    ended
}

fn of_this_process() -> Vec<u32> {
    of("self")
}

/// The children of a process.
fn of(process: &str) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()).collect()
}

/// The state of a process as `/proc` names it: `T` is stopped, `Z` has ended.
#[must_use]
pub fn state(pid: u32) -> Option<char> {
    fields(Path::new(&format!("/proc/{pid}/stat")))?.chars().next()
}

/// The fields of a `stat` file of `/proc` from the third one on: the state and what follows.
fn fields(stat: &Path) -> Option<String> {
    let stat = std::fs::read_to_string(stat).ok()?;
    // The name of the program is in parentheses, and may contain anything.
    Some(stat.rsplit_once(") ")?.1.to_owned())
}

/// The work of a process and of all that it has started.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// CPU time so far, in hundredths of a second.
    pub ticks: u64,
    /// The threads that run, or wait for a processor or a disk.
    pub ready: BTreeSet<u32>,
}

/// The work of a process and of all that it has started; nothing on systems without `/proc`.
#[must_use]
pub fn activity(pid: u32) -> Activity {
    let mut activity = Activity::default();
    let mut waiting = vec![pid];
    while let Some(pid) = waiting.pop() {
        activity.ticks += ticks(pid);
        for thread in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let is_ready = fields(&thread.path().join("stat")).is_some_and(|fields| fields.starts_with(['R', 'D']));
            let id = thread.file_name().to_string_lossy().parse::<u32>().ok();
            activity.ready.extend(id.filter(|_| is_ready));
        }
        waiting.extend(of(&pid.to_string()));
    }
    activity
}

/// The CPU time of a process and of its children that have ended (fields 14 to 17 of `/proc/PID/stat`).
fn ticks(pid: u32) -> u64 {
    let fields = fields(Path::new(&format!("/proc/{pid}/stat"))).unwrap_or_default();
    fields.split(' ').skip(11).take(4).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

fn as_pid(pid: u32) -> Option<nix::unistd::Pid> {
    i32::try_from(pid).ok().filter(|pid| *pid > 1).map(nix::unistd::Pid::from_raw)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn a_process_ends_with_its_whole_group_and_its_whole_tree() {
        for by in [kill_group, kill_tree] {
            let mut command = Command::new("sh");
            command.args(["-c", "sleep 600 & sleep 600"]);
            let mut child = spawn(command).unwrap();
            let of_child = || of(&child.id().to_string());
            while of_child().len() < 2 {
                std::thread::sleep(Duration::from_millis(1));
            }
            let below = of_child();
            by(child.id());
            assert_eq!(child.wait().unwrap().signal(), Some(9));
            forget(child.id());
            while below.iter().any(|pid| !matches!(state(*pid), None | Some('Z'))) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    #[test]
    fn an_ended_process_is_forgotten() {
        let mut child = spawn(Command::new("true")).unwrap();
        assert!(CHILDREN.lock().contains(&child.id()));
        child.wait().unwrap();
        forget(child.id());
        assert!(!CHILDREN.lock().contains(&child.id()));
    }

    #[test]
    fn the_state_of_a_process_is_known() {
        let mut command = Command::new("sleep");
        command.arg("600");
        let mut child = spawn(command).unwrap();
        nix::sys::signal::kill(as_pid(child.id()).unwrap(), nix::sys::signal::Signal::SIGSTOP).unwrap();
        while state(child.id()) != Some('T') {
            std::thread::sleep(Duration::from_millis(1));
        }
        kill_group(child.id());
        while state(child.id()) != Some('Z') {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.wait().unwrap();
        forget(child.id());
        assert_eq!(state(child.id()), None);
    }
}
