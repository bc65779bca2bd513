//! The allocator of all code in Rust: mimalloc, and a message if no memory is left.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, Ordering};

/// mimalloc, which is fast for the many small pieces that JVMs record.
#[derive(Debug)]
pub struct Allocator;

static ENDS_WITH_MESSAGE: AtomicBool = AtomicBool::new(false);

const MESSAGE: &[u8] = b"error: No memory is left.\nFree memory or use `--jobs 1`, and start again.\n";

/// Ends this process with a message and this exit code if no memory is left. Without that, the process aborts.
pub fn end_with_message() {
    ENDS_WITH_MESSAGE.store(true, Ordering::SeqCst);
}

fn checked(memory: *mut u8) -> *mut u8 {
    if memory.is_null() && ENDS_WITH_MESSAGE.load(Ordering::SeqCst) {
        // SAFETY: the two calls need no memory, and `_exit` runs no code of this process. The workers notice its end.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(crate::base::error::ExitCode::Machine as i32);
        }
    }
    memory
}

// SAFETY: each call goes to mimalloc, which keeps the contract; a null pointer is passed on, or the process ends.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { mimalloc::MiMalloc.alloc(layout) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { mimalloc::MiMalloc.dealloc(memory, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { mimalloc::MiMalloc.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        checked(unsafe { mimalloc::MiMalloc.realloc(memory, layout, size) })
    }
}
