//! Builds values of the Maven extension, for unit tests.

use crate::recipe::handover::{MavenProject, SurefireParameters};
use serde_json::{Value, json};

pub(super) fn surefire(value: Value) -> SurefireParameters {
    serde_json::from_value(value).unwrap()
}

pub(super) fn module(value: Value) -> MavenProject {
    let mut all = json!({
        "name": "Stack", "artifactId": "stack", "baseDirectory": "/p", "buildDirectory": "/p/target",
        "outputDirectory": "/p/target/classes", "testOutputDirectory": "/p/target/test-classes", "sourceRoots": [],
        "testSourceRoots": [], "properties": {}, "userProperties": {}, "localRepository": "/r", "javaHome": "/jdk",
        "artifacts": [],
    });
    for (name, value) in value.as_object().unwrap() {
        all[name] = value.clone();
    }
    serde_json::from_value(all).unwrap()
}
