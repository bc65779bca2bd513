//! Finds the tests that may write files, from what they and the methods that they enter call.

use super::calls::tests_that_call;
use super::coverage::Coverage;
use crate::base::id::{IdSlice, RecipeId, TestId};
use crate::classfile::names::Member;
use crate::classfile::outlines::Outlines;
use crate::classfile::outside::acts;
use crate::transform::Transformations;

/// The types by which a method of a library is told what to write to.
const PLACES: [&str; 2] = ["Ljava/io/File;", "Ljava/nio/file/Path;"];

/// The tests of the build that may write files, in order. `tests` are the classes of the tests, `program` those that
/// they test.
#[must_use]
pub fn writing(
    tests: &IdSlice<RecipeId, Outlines>,
    program: &Outlines,
    transformations: &Transformations,
    coverage: &Coverage,
) -> Vec<TestId> {
    tests_that_call(may_write, tests, program, transformations, coverage)
}

fn may_write(to: &Member) -> bool {
    let parameters = to.descriptor.split(')').next().unwrap_or_default();
    let is_of_jdk = ["java.", "javax."].iter().any(|package| to.owner.starts_with(package));
    acts(to)
        || !is_of_jdk && PLACES.iter().any(|place| parameters.contains(place))
        || (to.owner == "java.sql.DriverManager" && to.name == "getConnection")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jdk_and_libraries_write_where_a_file_or_path_says() {
        let may_write = |owner: &str, name: &str, descriptor: &str| {
            may_write(&Member { owner: owner.into(), name: name.into(), descriptor: descriptor.into() })
        };
        assert!(may_write("java.io.FileWriter", "<init>", "(Ljava/lang/String;)V"));
        assert!(may_write("org.apache.commons.io.FileUtils", "touch", "(Ljava/io/File;)V"));
        assert!(may_write("java.sql.DriverManager", "getConnection", "(Ljava/lang/String;)Ljava/sql/Connection;"));
        assert!(!may_write("java.io.File", "exists", "()Z"));
        assert!(!may_write("java.nio.file.Files", "readAllBytes", "(Ljava/nio/file/Path;)[B"));
        assert!(!may_write("org.junit.rules.TemporaryFolder", "newFile", "()Ljava/io/File;"));
    }
}
