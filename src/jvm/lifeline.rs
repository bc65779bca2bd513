//! Ends a process when the coordinator is gone, however that ended.

#![allow(unsafe_code)]

use crate::base::children;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The interval, in milliseconds, at which a worker takes note of the end of abandoned processes.
const REAP: u16 = 1000;

/// Makes the system end the process that this command starts as soon as the starting thread of the coordinator ends.
pub fn end_with_parent(command: &mut Command) {
    // SAFETY: between fork and exec, the closure makes one system call and allocates nothing.
    unsafe {
        command.pre_exec(|| {
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}

/// Ties this worker to the coordinator at the other end of the socket. When that is gone, this process ends with all that
/// its tests have started, even if a test blocks every other thread.
///
/// Processes that leave their parent, as daemons do, become children of this one, so that it finds them.
///
/// # Errors
/// If there is no room for a thread.
pub fn tie_to(socket: UnixStream) -> std::io::Result<()> {
    // SIGKILL would leave no time to end what the tests have started; this wakes a process that somebody has stopped.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGCONT);
    children::adopt_orphans();
    std::thread::Builder::new().name("reneri lifeline".into()).spawn(move || watch(&socket)).map(drop)
}

fn watch(socket: &UnixStream) {
    let mut ended = BTreeSet::new();
    loop {
        // No events are asked for: the end of the other side is reported anyway.
        let mut sides = [PollFd::new(socket.as_fd(), PollFlags::empty())];
        match poll(&mut sides, PollTimeout::from(REAP)) {
            Ok(0) => ended = children::reap_abandoned(&ended),
            Ok(_) => break,
            Err(_) => {}
        }
    }
    children::end_own_children();
    // The whole group, with this process.
    let _ = kill(Pid::from_raw(0), Signal::SIGKILL);
}
