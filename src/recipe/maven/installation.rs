//! Finds the Maven that builds a project: its own wrapper, else the installed one.

use super::process::{cannot_start, without_colours};
use crate::base::error::{Error, Result};
use crate::project::Project;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Maven that starts, and the Java it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Installation {
    program: PathBuf,
    /// Whether the script is started through `sh`, because it is not executable.
    through_shell: bool,
    home: PathBuf,
    pub java_home: PathBuf,
}

/// The project's wrapper if it has one that starts, else the installed Maven. Adds a note if a
/// wrapper does not start.
///
/// # Errors
/// If no Maven starts.
pub(super) fn installation(project: &Project, offline: bool, notes: &mut Vec<String>) -> Result<Installation> {
    let Some(wrapper) = wrapper(&project.root) else {
        return ask(&program()?, project);
    };
    let refused = if offline { missing_distribution(&wrapper) } else { None };
    let started = refused.map_or_else(|| ask(&wrapper, project), Err);
    let error = match started {
        Ok(installation) => return Ok(installation),
        Err(error) => error,
    };
    // Without an installed Maven, the user has to mend the wrapper.
    let Ok(installed) = program().and_then(|program| ask(&program, project)) else { return Err(error) };
    let reason = error.details.as_deref().and_then(last_line).map_or(String::new(), |line| format!(" It says: {line}"));
    notes.push(format!(
        "The project's Maven wrapper cannot be used, so {} was: {}{reason}",
        installed.program.display(),
        error.what
    ));
    Ok(installed)
}

impl Installation {
    pub fn new(program: &Path, home: PathBuf, java_home: PathBuf) -> Self {
        Self { program: program.to_path_buf(), through_shell: !is_executable(program), home, java_home }
    }

    /// A command without arguments.
    pub fn command(&self) -> Command {
        command(&self.program, self.through_shell)
    }

    /// The start script, the settings and the jars.
    pub fn files(&self) -> Vec<PathBuf> {
        let settings = self.home.join("conf").join("settings.xml");
        self.jars().unwrap_or_default().into_iter().chain([self.program.clone(), settings]).collect()
    }

    /// The jars of which Maven consists.
    pub fn jars(&self) -> Result<Vec<PathBuf>> {
        let folder = self.home.join("lib");
        let entries = std::fs::read_dir(&folder).map_err(|error| {
            Error::cannot_build(
                format!("Maven's own jars cannot be read: {}: {error}.", folder.display()),
                "Check the installation of Maven.",
            )
        })?;
        let is_jar = |file: &PathBuf| file.extension().is_some_and(|end| end == "jar");
        let mut jars: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_jar).collect();
        jars.sort();
        Ok(jars)
    }
}

fn command(program: &Path, through_shell: bool) -> Command {
    if through_shell {
        let mut command = Command::new("sh");
        command.arg(program);
        command
    } else {
        Command::new(program)
    }
}

#[cfg(unix)]
fn is_executable(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // If the file cannot be read, starting it says why.
    std::fs::metadata(program).map_or(true, |metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_program: &Path) -> bool {
    true
}

/// `mvnw` beside the POM, or in a folder above that has a folder `.mvn`: builds of several modules
/// keep it there.
fn wrapper(root: &Path) -> Option<PathBuf> {
    let name = if cfg!(windows) { "mvnw.cmd" } else { "mvnw" };
    let folders = root.ancestors().filter(|folder| *folder == root || folder.join(".mvn").is_dir());
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The error for a wrapper that would have to download its Maven. The wrapper has no offline mode,
/// so it must not be started.
fn missing_distribution(wrapper: &Path) -> Option<Error> {
    let properties =
        std::fs::read_to_string(wrapper.with_file_name(".mvn").join("wrapper/maven-wrapper.properties")).ok()?;
    let url = crate::recipe::properties::parse_properties(&properties).remove("distributionUrl")?;
    let file = url.rsplit('/').next()?.trim_end_matches(".zip").to_owned();
    let user_home = std::env::var_os("MAVEN_USER_HOME").map(PathBuf::from);
    let user_home = user_home.or_else(|| Some(std::env::home_dir()?.join(".m2")))?;
    let distributions = user_home.join("wrapper").join("dists");
    // Older wrappers name the folder after the file, newer ones after the version.
    let names = [file.as_str(), file.trim_end_matches("-bin")];
    if names.iter().any(|name| distributions.join(name).is_dir()) {
        return None;
    }
    Some(Error::cannot_build(
        format!("{} would have to fetch {file}.", wrapper.display()),
        "Run once without `--offline`, so that it can be fetched.",
    ))
}

/// The Maven that [`installation`] would try first, without starting it.
pub(super) fn preferred_program(root: &Path) -> Option<PathBuf> {
    wrapper(root).or_else(|| program().ok())
}

/// `mvn` on the PATH, else in `MAVEN_HOME` or `M2_HOME`.
fn program() -> Result<PathBuf> {
    let names: &[&str] = if cfg!(windows) { &["mvn.cmd", "mvn.bat", "mvn.exe"] } else { &["mvn"] };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let homes =
        ["MAVEN_HOME", "M2_HOME"].into_iter().filter_map(std::env::var_os).map(|home| PathBuf::from(home).join("bin"));
    std::env::split_paths(&path)
        .chain(homes)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| file.is_file())
        .ok_or_else(|| {
            Error::cannot_build(
                "There is no Maven: no `mvn` in any folder of PATH, and no `mvnw` in the project.",
                "Install Maven 3.6.3 or later (https://maven.apache.org), or add its `bin` to PATH.",
            )
        })
}

/// Asks Maven itself, in the project's folder, because start scripts, `.mavenrc` and
/// `.mvn/jvm.config` influence which Java it runs on.
fn ask(program: &Path, project: &Project) -> Result<Installation> {
    let output = command(program, !is_executable(program))
        .args(["-B", "-version"])
        .current_dir(&project.root)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| cannot_start(program, &error))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let output_text = || format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(Error::cannot_build(
            format!("{} does not start (`-version` fails).", program.display()),
            "Maven needs a JDK: install one, or correct JAVA_HOME (and MAVEN_OPTS, .mvn/jvm.config).",
        )
        .with_details(output_text()));
    }
    match (value_after(&text, &["Maven home: "]), value_after(&text, &[", runtime: ", "Java home: "])) {
        (Some(home), Some(java_home)) => Ok(Installation::new(program, home.into(), java_home.into())),
        _ => Err(Error::cannot_build(
            format!("`{} -version` does not say where Maven and its Java are.", program.display()),
            "Check that it is Apache Maven, 3.6.3 or later.",
        )
        .with_details(output_text())),
    }
}

/// The rest of the line after one of `labels`.
fn value_after(text: &str, labels: &[&str]) -> Option<String> {
    text.lines().find_map(|line| {
        let (_, value) = labels.iter().find_map(|label| line.split_once(label))?;
        Some(without_colours(value).trim().to_string()).filter(|value| !value.is_empty())
    })
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_version_names_the_homes_of_maven_and_java_with_and_without_colours() {
        let text = "\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nMaven home: /usr/share/maven\u{1b}[m\nJava version: 17.0.15, vendor: Debian, runtime: /usr/lib/jvm/java 17\n";
        assert_eq!(value_after(text, &["Maven home: "]).as_deref(), Some("/usr/share/maven"));
        assert_eq!(value_after(text, &[", runtime: ", "Java home: "]).as_deref(), Some("/usr/lib/jvm/java 17"));
        let old = "Maven home: C:\\maven\r\nJava version: 1.8.0_392, vendor: x\r\nJava home: /jdk/jre\r\n";
        assert_eq!(value_after(old, &[", runtime: ", "Java home: "]).as_deref(), Some("/jdk/jre"));
        assert_eq!(value_after("nonsense", &["Maven home: "]), None);
    }

    #[test]
    fn a_wrapper_in_a_parent_folder_is_used_if_the_folder_mvn_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join("all/module");
        std::fs::create_dir_all(&module).unwrap();
        let name = if cfg!(windows) { "mvnw.cmd" } else { "mvnw" };
        std::fs::write(folder.path().join("all").join(name), "").unwrap();
        assert_eq!(wrapper(&module), None);
        std::fs::create_dir(folder.path().join("all/.mvn")).unwrap();
        assert_eq!(wrapper(&module), Some(folder.path().join("all").join(name)));
        std::fs::write(module.join(name), "").unwrap();
        assert_eq!(wrapper(&module), Some(module.join(name)));
    }

    #[test]
    fn offline_a_wrapper_is_not_started_if_it_would_download_its_maven() {
        let folder = tempfile::tempdir().unwrap();
        let properties = folder.path().join(".mvn/wrapper/maven-wrapper.properties");
        std::fs::create_dir_all(properties.parent().unwrap()).unwrap();
        std::fs::write(properties, "distributionUrl=https\\://example.org/apache-maven-0.0.1-bin.zip\n").unwrap();
        let error = missing_distribution(&folder.path().join("mvnw")).unwrap();
        assert!(error.what.contains("apache-maven-0.0.1-bin") && error.next.contains("--offline"), "{error}");
        assert!(missing_distribution(Path::new("/nowhere/mvnw")).is_none());
    }
}
