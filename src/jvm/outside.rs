//! The answers that the JVM gets from outside of the program: the date, the time of day, and the seeds of random numbers. A run
//! can choose them (see [`World`]), and the recorder learns which test reads the clock.
//!
//! The clock is a native method of the JDK, so another function can take its place. The JVM must not use compiled code of its
//! own for it; see `recipe::launch`.

#![allow(unsafe_code)]

use super::environment::{Environment, Thrown, Tools};
use super::protocol::World;
use jni::sys;
use jvmti_bindings::env::Jvmti;
use jvmti_bindings::sys::jni::JavaVM;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// As [`World::ahead`].
static AHEAD: AtomicI64 = AtomicI64::new(0);
/// Whether the clock was read since the last [`take_read_clock`].
static READS_CLOCK: AtomicBool = AtomicBool::new(false);
/// The method ID of the constructor of `java.util.Random` that chooses a seed.
static SEEDING: AtomicUsize = AtomicUsize::new(0);
/// Whether the run chooses the seeds.
static IS_SEEDED: AtomicBool = AtomicBool::new(false);
/// The state of the generator of seeds.
static SEED: AtomicU64 = AtomicU64::new(0);
static TOOLS: OnceLock<Tools> = OnceLock::new();

/// How far from the clock an adjustment may be, in seconds, before the JDK has to ask again.
const LARGEST_ADJUSTMENT: i64 = 1 << 32;
const ATOMIC_LONG: &str = "Ljava/util/concurrent/atomic/AtomicLong;";
/// The bits of the state of `java.util.Random`.
const RANDOM_BITS: u64 = (1 << 48) - 1;

/// Takes the place of the native methods of the clock.
///
/// # Errors
/// The exception that the JVM throws.
pub fn install(jvm: Environment) -> Result<(), Thrown> {
    let machine: *mut JavaVM = jvm.machine().cast();
    // SAFETY: the machine is alive until the process ends.
    if let Ok(tools) = unsafe { Jvmti::from_java_vm_raw(machine) } {
        let _ = TOOLS.set(Tools(tools));
    }
    let random = jvm.find_class("java/util/Random")?;
    SEEDING.store(jvm.method(random, "<init>", "()V")? as usize, Ordering::Relaxed);
    let system = jvm.find_class("java/lang/System")?;
    jvm.register(
        system,
        &[
            ("currentTimeMillis", "()J", current_time_millis as *mut c_void),
            ("nanoTime", "()J", nano_time as *mut c_void),
        ],
    )?;
    // Since Java 9.
    if let Ok(vm) = jvm.find_class("jdk/internal/misc/VM") {
        jvm.register(vm, &[("getNanoTimeAdjustment", "(J)J", nano_time_adjustment as *mut c_void)])?;
        jvm.delete(vm);
    }
    [random, system].into_iter().for_each(|class| jvm.delete(class));
    Ok(())
}

/// Begins a run in this world.
pub fn enter(jvm: Environment, world: World) {
    AHEAD.store(world.ahead, Ordering::Relaxed);
    IS_SEEDED.store(world.seeds.is_some(), Ordering::Relaxed);
    seed(jvm, world, "");
    let _ = take_read_clock();
}

/// Chooses the seeds for a test. They depend on the world and the test only, and not on the tests before it.
pub fn seed(jvm: Environment, world: World, test: &str) {
    let Some(number) = world.seeds else { return };
    let mut state = u64::from(number);
    for byte in test.bytes() {
        state = mixed(state ^ u64::from(byte));
    }
    SEED.store(state, Ordering::Relaxed);
    // A class without such a field draws its numbers in another way, in this version of the JDK.
    let _ = seed_generators(jvm);
}

/// Whether the clock was read since the last call.
pub fn take_read_clock() -> bool {
    READS_CLOCK.swap(false, Ordering::Relaxed)
}

/// Lets `Runtime.version()` return this version, if the JDK is new enough to have that method.
///
/// # Errors
/// The exception that the JVM throws.
pub fn pretend_version(jvm: Environment, version: &str) -> Result<(), Thrown> {
    let runtime = jvm.find_class("java/lang/Runtime")?;
    let kind = "Ljava/lang/Runtime$Version;";
    let field = jvm.static_field(runtime, "version", kind)?;
    let class = jvm.find_class("java/lang/Runtime$Version")?;
    let parse = jvm.static_method(class, "parse", &format!("(Ljava/lang/String;){kind}"))?;
    let version = jvm.call_static(class, parse, &[sys::jvalue { l: jvm.new_string(version) }])?;
    jvm.set_static_object(runtime, field, version);
    Ok(())
}

/// Sets the generators that live as long as the JVM.
fn seed_generators(jvm: Environment) -> Result<(), Thrown> {
    let _frame = jvm.frame(32);
    let set_static = |class: &str, field: &str| {
        let class = jvm.find_class(class)?;
        let field = jvm.static_field(class, field, ATOMIC_LONG)?;
        set_atomic(jvm, jvm.get_static_object(class, field), next_seed())
    };
    let set_random = |class: &str, field: &str| {
        let class = jvm.find_class(class)?;
        let field = jvm.static_field(class, field, "Ljava/util/Random;")?;
        let random = jvm.get_static_object(class, field);
        if random.is_null() {
            return Ok(());
        }
        set_atomic(jvm, jvm.field_of(random, "seed", ATOMIC_LONG)?, next_seed() & RANDOM_BITS)
    };
    let results = [
        set_static("java/util/Random", "seedUniquifier"),
        set_static("java/util/SplittableRandom", "defaultGen"),
        set_static("java/util/concurrent/ThreadLocalRandom", "seeder"),
        set_random("java/lang/Math$RandomNumberGeneratorHolder", "randomNumberGenerator"),
        set_random("java/util/Collections", "r"),
        forget_seed_of_thread(jvm),
        reorder_immutable_collections(jvm),
    ];
    results.into_iter().collect()
}

/// Lets `ThreadLocalRandom` choose a seed for this thread again.
fn forget_seed_of_thread(jvm: Environment) -> Result<(), Thrown> {
    let class = jvm.find_class("java/lang/Thread")?;
    let current = jvm.static_method(class, "currentThread", "()Ljava/lang/Thread;")?;
    let thread = jvm.call_static(class, current, &[])?;
    let probe = jvm.field(class, "threadLocalRandomProbe", "I")?;
    jvm.set_int(thread, probe, 0);
    Ok(())
}

/// Chooses the order of the elements of `Set.of` and `Map.of`, which the JDK chooses once for each JVM.
fn reorder_immutable_collections(jvm: Environment) -> Result<(), Thrown> {
    let class = jvm.find_class("java/util/ImmutableCollections")?;
    let (salt, reverse) = (jvm.static_field(class, "SALT32L", "J")?, jvm.static_field(class, "REVERSE", "Z")?);
    let seed = next_seed();
    jvm.set_static_long(class, salt, i64::from(u32::try_from(seed >> 32).unwrap_or(0)));
    jvm.set_static_boolean(class, reverse, seed & 1 == 1);
    Ok(())
}

fn set_atomic(jvm: Environment, atomic: sys::jobject, value: u64) -> Result<(), Thrown> {
    let class = jvm.find_class("java/util/concurrent/atomic/AtomicLong")?;
    let field = jvm.field(class, "value", "J")?;
    if !atomic.is_null() {
        jvm.set_long(atomic, field, value.cast_signed());
    }
    Ok(())
}

/// The next seed: splitmix64, as in `java.util.SplittableRandom`.
fn next_seed() -> u64 {
    mixed(SEED.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed))
}

fn mixed(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

// Checked for the native methods of the clock: they allocate nothing, make no local references and call no Java, so there is
// nothing to catch or to free. A panic would end the process at `extern`, which counts as a lost worker.

/// Seconds since 1970 by the clock of the tests, and nanoseconds.
fn wall_clock() -> (i64, i64) {
    READS_CLOCK.store(true, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let ahead = AHEAD.load(Ordering::Relaxed);
    let milliseconds = i64::from(now.subsec_millis()) + ahead.rem_euclid(1000);
    let seconds = i64::try_from(now.as_secs()).unwrap_or(0) + ahead.div_euclid(1000) + milliseconds / 1000;
    (seconds, (milliseconds % 1000) * 1_000_000 + i64::from(now.subsec_nanos() % 1_000_000))
}

extern "system" fn current_time_millis(_env: *mut sys::JNIEnv, _class: sys::jclass) -> sys::jlong {
    let (seconds, nanoseconds) = wall_clock();
    seconds * 1000 + nanoseconds / 1_000_000
}

extern "system" fn nano_time_adjustment(_env: *mut sys::JNIEnv, _class: sys::jclass, from: sys::jlong) -> sys::jlong {
    let (seconds, nanoseconds) = wall_clock();
    let difference = seconds.saturating_sub(from);
    // The JDK asks again with another offset (jdk.internal.misc.VM).
    if difference.abs() > LARGEST_ADJUSTMENT {
        return -1;
    }
    difference * 1_000_000_000 + nanoseconds
}

extern "system" fn nano_time(_env: *mut sys::JNIEnv, _class: sys::jclass) -> sys::jlong {
    if IS_SEEDED.load(Ordering::Relaxed) && is_called_for_seed() {
        return next_seed().cast_signed();
    }
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing. The JVM reads the same clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Whether the constructor of `java.util.Random` called the native method.
fn is_called_for_seed() -> bool {
    let Some(tools) = TOOLS.get() else { return false };
    // SAFETY: a null thread means the current one.
    let caller = unsafe { tools.0.get_stack_trace(std::ptr::null_mut(), 1, 1) }.unwrap_or_default();
    caller.first().is_some_and(|frame| frame.method as usize == SEEDING.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_ahead_by_whole_milliseconds() {
        let difference = |ahead: i64| {
            AHEAD.store(0, Ordering::Relaxed);
            let (seconds, nanoseconds) = wall_clock();
            AHEAD.store(ahead, Ordering::Relaxed);
            let (later, more) = wall_clock();
            (later - seconds) * 1000 + (more - nanoseconds) / 1_000_000
        };
        let days = 400 * 86_400_000;
        assert!((days..days + 1000).contains(&difference(days)));
        assert!((-1500..0).contains(&difference(-1500)));
        assert!(take_read_clock() && !take_read_clock());
    }

    #[test]
    fn seeds_depend_on_where_they_begin() {
        let three = |begin: u64| {
            SEED.store(begin, Ordering::Relaxed);
            [next_seed(), next_seed(), next_seed()]
        };
        assert_eq!(three(7), three(7));
        assert_ne!(three(7), three(8));
    }
}
