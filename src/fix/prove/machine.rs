//! Names of this machine that an assertion must not contain.

use crate::recipe::Recipe;

/// The shortest name and value of a variable that is recognised, in bytes. Shorter ones are in many
/// texts by chance.
const SHORTEST_NAME: usize = 4;
const SHORTEST_VALUE: usize = 6;

/// The names of this machine and of things on it.
pub struct MachineNames {
    /// Absolute paths, wherever they stand.
    folders: Vec<String>,
    /// Whole texts.
    names: Vec<String>,
    /// Values of variables of the environment, by name: whole texts.
    variables: Vec<(String, String)>,
}

impl MachineNames {
    /// Those of this machine and of the recipe's project.
    #[must_use]
    pub fn of(recipe: &Recipe) -> Self {
        let folders = [&recipe.working_directory, &recipe.java_home, &recipe.test_classes];
        let folders = folders.map(|folder| folder.to_string_lossy().into_owned());
        let is_deep = |folder: &String| folder.matches('/').count() > 1;
        let architecture = if cfg!(target_arch = "x86_64") { "amd64" } else { std::env::consts::ARCH };
        let system = if cfg!(target_os = "macos") { "Mac OS X" } else { "Linux" };
        let host = nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok());
        let host = host.filter(|name| name != "localhost");
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self {
            folders: folders.into_iter().filter(is_deep).collect(),
            names: host
                .into_iter()
                .chain([architecture.to_owned(), system.to_owned()])
                .filter(|name| name.len() >= SHORTEST_NAME)
                .collect(),
            variables: variables.filter(|(_, value)| value.len() >= SHORTEST_VALUE).collect(),
        }
    }

    /// The reason to doubt this code, which is new in this source.
    #[must_use]
    pub fn in_code(&self, code: &str, source: &str) -> Option<String> {
        let is_new = |text: &str| code.contains(text) && !source.contains(text);
        if let Some(folder) = self.folders.iter().find(|folder| is_new(folder)) {
            return Some(format!("it names a folder of this machine, `{folder}`"));
        }
        let is_whole = |text: &str| is_new(&format!("\"{text}\""));
        if let Some(name) = self.names.iter().find(|name| is_whole(name)) {
            return Some(format!("it names this machine, `{name}`"));
        }
        let variable = self.variables.iter().find(|(_, value)| is_whole(value));
        variable.map(|(name, _)| format!("it asserts the value of the environment variable `{name}` on this machine"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_machine_are_found_unless_the_test_names_them_already() {
        let names = MachineNames {
            folders: vec!["/home/me/project".into()],
            names: vec!["my-laptop".into()],
            variables: vec![("STAGE".into(), "production".into())],
        };
        let because = |code: &str| names.in_code(code, "\"production\"");
        assert!(because("assertEquals(\"/home/me/project/x.txt\", x);").is_some_and(|why| why.contains("folder")));
        assert!(because("assertEquals(\"my-laptop\", x);").is_some_and(|why| why.contains("names this machine")));
        assert_eq!(because("assertEquals(\"my-laptops\", x);"), None);
        assert_eq!(because("assertEquals(\"production\", x);"), None);
        assert!(names.in_code("assertEquals(\"production\", x);", "").is_some_and(|why| why.contains("`STAGE`")));
    }
}
