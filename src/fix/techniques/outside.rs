//! Methods that act on something outside of the JVM: files, other processes, the network. No test
//! that reneri makes up calls them where the user's tests do not: nobody knows what they would
//! delete or overwrite, and nobody wants a test that leaves a file in the project.

use crate::classfile::names::Member;
use crate::classfile::outlines::Outlines;
use crate::classfile::outside::acts;

/// Most calls below the method.
const LEVELS: usize = 8;

/// Whether a method acts on something outside of the JVM, itself or in deeper calls.
pub(super) fn acts_outside(outlines: &Outlines, method: &Member) -> bool {
    let called = outlines.called_from(std::slice::from_ref(method), LEVELS);
    called.iter().flat_map(|(_, outline)| &outline.calls).any(|call| acts(&call.to))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classfile::test_javac::compile;

    const STORE: &str = "package a; import java.io.*; class Store {
        static void save(String name) throws IOException { write(new File(name)); }
        private static void write(File file) throws IOException { new FileWriter(file).close(); }
        static void print(String name) throws IOException { new PrintWriter(name).close(); }
        static String text(int number) { StringWriter text = new StringWriter(); new PrintWriter(text).print(number); return text.toString(); }
        static boolean exists(String name) { return new File(name).exists(); }
        static void remove(File file) { file.delete(); }
    }";

    #[test]
    fn what_writes_or_deletes_files_acts_outside_and_what_reads_or_writes_text_does_not() {
        let folder = compile(&[STORE], &["-Xlint:none"]);
        let outlines = Outlines::read(folder.path()).unwrap();
        let class = outlines.class("a.Store").unwrap();
        let acting = class.methods.iter().filter(|method| acts_outside(&outlines, &class.member(method)));
        let names: Vec<&str> = acting.map(|method| method.name.as_str()).collect();
        assert_eq!(names, ["save", "write", "print", "remove"]);
    }
}
