//! The command with which Maven is started.

use super::extension::left_out_plugins;
use super::installation::Installation;
use super::request::MavenRequest;
use crate::base::error::{Error, Result};
use std::path::Path;
use std::process::{Command, Stdio};

/// The option that adds extensions to a run of Maven, as IDEs do it.
const EXTENSIONS: &str = "-Dmaven.ext.class.path=";

/// Maven's `test` phase, with our extension, which writes what it finds to `handover`.
///
/// # Errors
/// If the extension is in a folder that cannot be part of a path; a bug if a rule is broken.
pub(super) fn command(
    maven: &Installation,
    request: &MavenRequest,
    extension: &Path,
    handover: &Path,
) -> Result<Command> {
    let MavenRequest { project, options, .. } = request;
    let mut extensions = vec![extension.to_path_buf()];
    let mut command = maven.command();
    // Batch mode also switches colours off.
    command.arg("-B");
    if options.offline {
        command.arg("-o");
    }
    if project.pom.file_name().is_none_or(|name| name != "pom.xml") {
        command.arg("-f").arg(&project.pom);
    }
    for argument in &options.arguments {
        match argument.strip_prefix(EXTENSIONS) {
            Some(path) => extensions.extend(std::env::split_paths(path)),
            None => {
                command.arg(argument);
            }
        }
    }
    let path = std::env::join_paths(extensions).map_err(|error| {
        Error::usage(
            format!("The path of a Maven extension cannot be passed on: {error}."),
            "Set RENERI_CACHE to a folder without a path separator in its name.",
        )
    })?;
    let mut argument = std::ffi::OsString::from(EXTENSIONS);
    argument.push(path);
    command.arg(argument).arg("test").current_dir(&project.root).stdin(Stdio::null());
    command.env("RENERI_HANDOVER", handover).env("RENERI_LEFT_OUT_PLUGINS", left_out_plugins()?);
    command.env("MAVEN_OPTS", quick_compiler(std::env::var("MAVEN_OPTS").unwrap_or_default()));
    Ok(command)
}

/// Adds an option for HotSpot's first compiler only: a run of some seconds gains nothing from the
/// second one, which takes half of its CPU time.
fn quick_compiler(options: String) -> String {
    if options.contains("Tiered") { options } else { format!("{options} -XX:TieredStopAtLevel=1").trim().to_owned() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::super::request::MavenOptions;
    use super::*;
    use crate::project::Project;

    #[test]
    fn arguments_reach_maven_unchanged_and_other_extensions_are_kept() {
        let project = Project { root: "/p".into(), pom: "/p/other.xml".into() };
        let options = MavenOptions {
            arguments: vec!["-Pfast".into(), format!("{EXTENSIONS}/theirs.jar"), "-Da=b c".into()],
            offline: true,
            history: false,
        };
        let maven = Installation::new(Path::new("/bin/mvn"), "/maven".into(), "/jdk".into());
        let request = MavenRequest { project, options, log: "/log".into() };
        let command = command(&maven, &request, Path::new("/ours"), Path::new("/handover.json")).unwrap();
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        let expected =
            ["-B", "-o", "-f", "/p/other.xml", "-Pfast", "-Da=b c", "-Dmaven.ext.class.path=/ours:/theirs.jar", "test"];
        assert_eq!(arguments, expected);
    }
}
