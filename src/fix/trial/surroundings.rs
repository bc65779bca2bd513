//! Surroundings in which a verified patch holds as well: another time zone and locale, another
//! machine, other line ends, other days.

use crate::jvm::client::Launch;
use crate::recipe::CleanCopy;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Properties of a machine that may differ from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    Usual,
    /// Time zone and locale.
    Abroad,
    /// A locale in which `i` and `I` are different letters.
    Turkey,
    /// Time zone, locale, and everything that differs between machines: the user, the folders, the
    /// number of processors, the memory, the default charset, and the versions of Java and the
    /// system.
    Elsewhere,
    /// Line separator.
    Windows,
}

const TIME_ZONE: (&str, &str) = ("user.timezone", "Pacific/Chatham");
const GERMAN: [(&str, &str); 2] = [("user.language", "de"), ("user.country", "DE")];
const TURKISH: [(&str, &str); 2] = [("user.language", "tr"), ("user.country", "TR")];
const WINDOWS: &[(&str, &str)] = &[("line.separator", "\r\n")];
/// The name of the user elsewhere.
const USER: &str = "elsewhere";

/// The last Java release whose default charset depends on the machine (JEP 400).
const LAST_WITH_OWN_CHARSET: u32 = 17;

impl Surroundings {
    /// Changes the launch so that its JVM finds itself in these surroundings. What the project sets
    /// itself keeps its value. `folder` takes the folders of the other machine. The tests run in `copy`,
    /// if there is one, and in a folder with links to the project's files otherwise.
    pub fn apply(self, launch: &mut Launch, java_release: u32, folder: &Path, copy: Option<&mut CleanCopy>) {
        match self {
            Self::Usual => {}
            Self::Abroad => {
                set_options(launch, &[TIME_ZONE]);
                set_options(launch, &GERMAN);
            }
            Self::Turkey => set_options(launch, &TURKISH),
            Self::Windows => set_options(launch, WINDOWS),
            Self::Elsewhere => {
                let is_turkish = std::env::var("LANG").is_ok_and(|language| language.starts_with("tr"));
                set_options(launch, &[TIME_ZONE]);
                set_options(launch, if is_turkish { &GERMAN } else { &TURKISH });
                match copy {
                    Some(copy) => move_into(launch, copy),
                    None => move_folders(launch, folder),
                }
                change_user(launch, folder);
                change_machine(launch, java_release);
            }
        }
    }
}

/// Sets system properties on the command line.
fn set_options(launch: &mut Launch, properties: &[(&str, &str)]) {
    for (name, value) in properties {
        if !is_set(launch, name) {
            launch.start.options.push(format!("-D{name}={value}"));
        }
    }
}

fn is_set(launch: &Launch, name: &str) -> bool {
    launch.start.options.iter().any(|option| option.starts_with(&format!("-D{name}=")))
        || launch.start.properties.iter().any(|(known, _)| known == name)
}

/// Sets a property of the running JVM, which may read its own value of it before.
fn set_property(launch: &mut Launch, name: &str, value: String) {
    if !is_set(launch, name) {
        launch.start.properties.push((name.to_owned(), value));
    }
}

/// Lets the tests run in the copy, without what tests of this analysis left behind.
fn move_into(launch: &mut Launch, copy: &mut CleanCopy) {
    copy.restore();
    copy.move_folders(launch);
    let folder = launch.working_directory.display().to_string();
    set_variable(launch, "PWD", &folder);
}

/// Lets the tests run in a folder with another path. Its entries are links to those of the
/// project's folder.
fn move_folders(launch: &mut Launch, folder: &Path) {
    let here = launch.working_directory.clone();
    let Some(there) = linked(&here, folder) else { return };
    for (_, value) in &mut launch.start.properties {
        let path = Path::new(value.as_str());
        if let Ok(below) = path.strip_prefix(&here)
            && !value.contains(':')
        {
            *value = if below.as_os_str().is_empty() { there.clone() } else { there.join(below) }.display().to_string();
        }
    }
    set_variable(launch, "PWD", &there.display().to_string());
    launch.working_directory = there;
}

/// A folder with links to everything in `here`. `None` if it cannot be made.
fn linked(here: &Path, folder: &Path) -> Option<PathBuf> {
    let there = folder.join("checkout").join(here.file_name().unwrap_or_default());
    std::fs::create_dir_all(&there).ok()?;
    for entry in std::fs::read_dir(here).ok()?.filter_map(Result::ok) {
        let link = there.join(entry.file_name());
        if link.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(entry.path(), link).ok()?;
        }
    }
    Some(there)
}

fn change_user(launch: &mut Launch, folder: &Path) {
    let (home, temporary) = (folder.join("home"), folder.join("temporary"));
    let are_made = [&home, &temporary].into_iter().all(|one| std::fs::create_dir_all(one).is_ok());
    if !are_made {
        return;
    }
    let (home, temporary) = (home.display().to_string(), temporary.display().to_string());
    if let Some(own) = &launch.temporary {
        let option = own.option();
        launch.start.options.retain(|known| *known != option);
    }
    set_options(launch, &[("user.home", &home), ("user.name", USER), ("java.io.tmpdir", &temporary)]);
    for (name, value) in [("HOME", home.as_str()), ("TMPDIR", &temporary), ("USER", USER), ("LOGNAME", USER)] {
        set_variable(launch, name, value);
    }
    set_variable(launch, "HOSTNAME", "elsewhere.example.org");
    if let Ok(path) = std::env::var("PATH") {
        set_variable(launch, "PATH", &format!("{path}:{home}"));
    }
}

/// Sets a variable of the environment, unless the project does.
fn set_variable(launch: &mut Launch, name: &str, value: &str) {
    launch.environment.entry(name.to_owned()).or_insert_with(|| value.to_owned());
}

fn change_machine(launch: &mut Launch, java_release: u32) {
    let has = |launch: &Launch, part: &str| launch.start.options.iter().any(|option| option.contains(part));
    // The first updates of Java 8 know neither of the options for containers.
    launch.start.options.push("-XX:+IgnoreUnrecognizedVMOptions".to_owned());
    if !has(launch, "ActiveProcessorCount") {
        let here = std::thread::available_parallelism().map_or(1, usize::from);
        let there = if here == 1 { 3 } else { 1 };
        launch.start.options.push(format!("-XX:ActiveProcessorCount={there}"));
    }
    if !["-Xmx", "MaxRAM", "MaxHeapSize"].iter().any(|part| has(launch, part)) {
        launch.start.options.push("-XX:MaxRAMPercentage=33".to_owned());
    }
    if java_release <= LAST_WITH_OWN_CHARSET {
        set_options(launch, &[("file.encoding", "ISO-8859-1")]);
    }
    for (name, value) in version_properties(java_release) {
        set_property(launch, name, value);
    }
    // `os.name` stays: with another name, the JDK starts no process, and no agent can be attached.
    set_property(launch, "os.version", "99.1".to_owned());
}

/// The system properties of the Java release before this one. Libraries know it if they know this one.
fn version_properties(java_release: u32) -> Vec<(&'static str, String)> {
    if java_release < 10 {
        let version = if java_release == 8 { "1.8.0_1" } else { "9.0.99" };
        return vec![("java.version", version.to_owned()), ("java.runtime.version", format!("{version}-b1"))];
    }
    let release = java_release - 1;
    vec![
        ("java.version", format!("{release}.0.99")),
        ("java.runtime.version", format!("{release}.0.99+1")),
        ("java.vm.version", format!("{release}.0.99+1")),
        ("java.specification.version", release.to_string()),
        ("java.vm.specification.version", release.to_string()),
        ("java.class.version", format!("{}.0", 44 + release)),
        ("java.vendor", "Elsewhere".to_owned()),
        ("java.vendor.version", format!("Elsewhere-{release}.0.99+1")),
        ("java.version.date", "2019-09-17".to_owned()),
    ]
}

const MILLISECONDS_A_DAY: i64 = 86_400_000;
/// The milliseconds of 400 days: another year, another month, another day of the month and of the
/// week.
pub const ANOTHER_DAY: i64 = 400 * MILLISECONDS_A_DAY;
/// After 28 years, the days of the week and the leap years repeat.
const CYCLE: i64 = 10_227 * MILLISECONDS_A_DAY;
/// Seconds since 1970. Each month, day of the week and part of the day is among these days, and so
/// are the first and last day of a year and of a month, a Friday the 13th, holidays, and a 29th of
/// February.
const DAYS: [i64; 15] = [
    1_861_920_001, // Monday, 1 January 2029, 00:00
    1_865_740_200, // Wednesday, 14 February 2029, 05:10
    1_868_691_600, // Tuesday, 20 March 2029, 09:00
    1_869_739_200, // Sunday, 1 April 2029, 12:00
    1_870_795_800, // Friday, 13 April 2029, 17:30
    1_874_526_300, // Saturday, 26 May 2029, 21:45
    1_877_558_340, // Saturday, 30 June 2029, 23:59
    1_877_828_400, // Wednesday, 4 July 2029, 03:00
    1_881_558_900, // Thursday, 16 August 2029, 07:15
    1_884_855_600, // Sunday, 23 September 2029, 11:00
    1_888_167_600, // Wednesday, 31 October 2029, 19:00
    1_890_136_800, // Friday, 23 November 2029, 14:00
    1_892_880_000, // Tuesday, 25 December 2029, 08:00
    1_893_455_998, // Monday, 31 December 2029, 23:59
    1_961_668_800, // Sunday, 29 February 2032, 12:00
];

/// By how many milliseconds the clock is ahead on each of [`DAYS`].
#[must_use]
pub fn other_days() -> Vec<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(0);
    DAYS.iter().map(|day| ahead(now, *day)).collect()
}

fn ahead(now: i64, day: i64) -> i64 {
    let mut ahead = day * 1000 - now;
    while ahead <= 0 {
        ahead += CYCLE;
    }
    ahead
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::run::fake::{Act, FakeJvms};

    fn launch() -> Launch {
        let jvms = FakeJvms::new(|_: Option<crate::base::id::GuardId>, _: &str, _: bool| Act::Pass, &[]);
        jvms.launch()
    }

    fn value<'l>(launch: &'l Launch, name: &str) -> Option<&'l str> {
        let option = format!("-D{name}=");
        let in_options = launch.start.options.iter().find_map(|one| one.strip_prefix(&option));
        in_options.or_else(|| {
            launch.start.properties.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        })
    }

    #[test]
    fn a_day_that_is_over_comes_again_28_years_later() {
        let day = 1_893_455_998;
        assert_eq!(ahead((day - 5) * 1000, day), 5000);
        assert_eq!(ahead((day + 5) * 1000, day), CYCLE - 5000);
    }

    #[test]
    fn elsewhere_the_tests_run_in_another_folder_with_the_same_files() {
        let (project, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(project.path().join("pom.xml"), "here").unwrap();
        let mut launch = launch();
        launch.working_directory = project.path().to_path_buf();
        let own = |name: &str, below: &str| (name.to_owned(), format!("{}{below}", project.path().display()));
        launch.start.properties =
            vec![own("user.dir", ""), own("data", "/data"), ("user.timezone".into(), "UTC".into())];
        launch.start.options = vec!["-Duser.name=me".into()];
        Surroundings::Elsewhere.apply(&mut launch, 17, scratch.path(), None);
        let there = launch.working_directory.clone();
        assert!(there.starts_with(scratch.path()) && there.file_name() == project.path().file_name());
        assert_eq!(std::fs::read_to_string(there.join("pom.xml")).unwrap(), "here");
        assert_eq!(value(&launch, "user.dir"), Some(there.to_str().unwrap()));
        assert_eq!(value(&launch, "data"), Some(there.join("data").to_str().unwrap()));
        assert_eq!((value(&launch, "user.timezone"), value(&launch, "user.name")), (Some("UTC"), Some("me")));
        assert!(value(&launch, "user.language").is_some());
    }

    #[test]
    fn elsewhere_java_is_one_release_older() {
        let value = |release: u32, name: &str| {
            version_properties(release).into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
        };
        assert_eq!(value(17, "java.specification.version").as_deref(), Some("16"));
        assert_eq!(value(17, "java.class.version").as_deref(), Some("60.0"));
        assert_eq!(value(8, "java.version").as_deref(), Some("1.8.0_1"));
    }
}
