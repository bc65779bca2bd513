//! A pipe to a child process, which does not wait for a child that somebody has stopped.

use crate::base::children;
use crate::base::interrupt;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::fd::AsFd;

/// The interval, in milliseconds, at which a waiting pipe looks at the child.
const LOOK: u16 = 200;
/// A child that is stopped at this many looks in a row counts as lost.
const MOST_STOPPED: u32 = 10;

#[derive(Debug)]
pub(super) struct Pipe<P> {
    end: P,
    pid: u32,
}

impl<P: AsFd> Pipe<P> {
    /// A pipe to the child `pid`.
    pub(super) fn new(end: P, pid: u32) -> Result<Self> {
        let flags = OFlag::from_bits_retain(fcntl(&end, FcntlArg::F_GETFL)?);
        fcntl(&end, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
        Ok(Self { end, pid })
    }

    /// Waits until the pipe can be used.
    fn wait(&self, wanted: PollFlags) -> Result<()> {
        let mut stopped = 0;
        while poll(&mut [PollFd::new(self.end.as_fd(), wanted)], PollTimeout::from(LOOK)) == Ok(0) {
            if interrupt::is_interrupted() {
                return Err(Error::other("the run is interrupted"));
            }
            stopped = if children::state(self.pid) == Some('T') { stopped + 1 } else { 0 };
            if stopped >= MOST_STOPPED {
                return Err(Error::new(ErrorKind::TimedOut, "somebody has stopped it"));
            }
        }
        Ok(())
    }
}

impl<P: AsFd + Read> Read for Pipe<P> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match self.end.read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(PollFlags::POLLIN)?,
                done => return done,
            }
        }
    }
}

impl<P: AsFd + Write> Write for Pipe<P> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        loop {
            match self.end.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(PollFlags::POLLOUT)?,
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.end.flush()
    }
}
