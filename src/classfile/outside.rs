//! Methods of the JDK that act on something outside of the JVM: files, other processes, the network.

use super::names::Member;

/// Classes of the JDK whose constructors act.
const CONSTRUCTORS: [&str; 6] = [
    "java.io.FileOutputStream",
    "java.io.FileWriter",
    "java.io.RandomAccessFile",
    "java.net.Socket",
    "java.net.ServerSocket",
    "java.net.DatagramSocket",
];
/// Classes of the JDK whose constructors write a file if the first argument names one.
const WRITERS: [&str; 3] = ["java.io.PrintStream", "java.io.PrintWriter", "java.util.Formatter"];
/// Methods of the JDK, by class.
const METHODS: [(&str, &[&str]); 9] = [
    (
        "java.io.File",
        &[
            "createNewFile",
            "delete",
            "deleteOnExit",
            "mkdir",
            "mkdirs",
            "renameTo",
            "setExecutable",
            "setLastModified",
            "setReadable",
            "setReadOnly",
            "setWritable",
        ],
    ),
    (
        "java.nio.file.Files",
        &[
            "copy",
            "createDirectories",
            "createDirectory",
            "createFile",
            "createLink",
            "createSymbolicLink",
            "delete",
            "deleteIfExists",
            "move",
            "newBufferedWriter",
            "newByteChannel",
            "newOutputStream",
            "setAttribute",
            "setLastModifiedTime",
            "setOwner",
            "setPosixFilePermissions",
            "write",
            "writeString",
        ],
    ),
    ("java.nio.channels.FileChannel", &["open"]),
    ("java.nio.channels.SocketChannel", &["open", "connect"]),
    ("java.lang.ProcessBuilder", &["start"]),
    ("java.lang.Runtime", &["exec"]),
    ("java.net.URL", &["openConnection", "openStream"]),
    ("java.net.http.HttpClient", &["send", "sendAsync"]),
    ("java.util.prefs.Preferences", &["put", "remove", "clear", "removeNode"]),
];

/// Whether this method or constructor of the JDK acts on something outside of the JVM. Temporary files, whose names the JDK
/// chooses, do not count.
#[must_use]
pub fn acts(to: &Member) -> bool {
    let owner = to.owner.as_str();
    if to.name == "<init>" {
        let names_file =
            ["(Ljava/lang/String;", "(Ljava/io/File;"].iter().any(|first| to.descriptor.starts_with(first));
        return CONSTRUCTORS.contains(&owner) || (WRITERS.contains(&owner) && names_file);
    }
    METHODS.iter().any(|(class, names)| *class == owner && names.contains(&to.name.as_str()))
}
