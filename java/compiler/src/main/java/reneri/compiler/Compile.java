package reneri.compiler;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeCastTree;
import com.sun.source.tree.UnaryTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.lang.model.element.Element;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Types;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticListener;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles sources that arrive on standard input and answers on standard output. It serves one
 * request after the other in the same warm JVM.
 *
 * <p>All numbers are big-endian. A text is its length in bytes (int) and its UTF-8 bytes. Positions
 * are UTF-16 units of a file's text.
 *
 * <pre>
 * request: byte 'F' (facts of sources) or 'C' (compile); int n, n texts: options; int n, n times: text path, text content;
 *          or byte 'E' (compile each source by itself); the same, and for each source: text folder of its
 *          classes; then int number of threads
 * answer:  int n, n times an error: int file (-1: none), text code, int start, int position, int end, text message;
 *          text failure of the compiler itself (empty: none);
 *          after 'F', for each file: int n, n times: byte fact, int start, int end;
 *          after 'E', the same for each source
 * </pre>
 *
 * Facts are about expressions: 'V' has no value, 'C' is a compile-time constant, 'T' is a type or
 * package, 'B' is a boxed operand of a conditional expression (wrapped in a generic call it would no
 * longer count as numeric, JLS 15.25). The language level is Java 8.
 */
public final class Compile {
    /** Size of the stack, because calls may nest deeply. */
    private static final long STACK = 1L << 29;

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private StandardJavaFileManager files = newFiles();

    private StandardJavaFileManager newFiles() {
        return compiler.getStandardFileManager(null, Locale.ROOT, Charset.forName("UTF-8"));
    }

    public static void main(String[] args) throws Exception {
        final DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
        // The output of annotation processors must not get into the answers.
        System.setOut(System.err);
        Thread thread = new Thread(null, new Runnable() {
            @Override
            public void run() {
                try {
                    serve(in, out);
                } catch (IOException e) {
                    // reneri is gone.
                    System.exit(1);
                }
            }
        }, "compiler", STACK);
        thread.start();
        thread.join();
        System.exit(0);
    }

    private static void serve(DataInputStream in, DataOutputStream out) throws IOException {
        // One thread at a time uses each of them.
        List<Compile> compilers = new ArrayList<Compile>();
        compilers.add(new Compile());
        while (true) {
            int request;
            try {
                request = in.readUnsignedByte();
            } catch (EOFException end) {
                return;
            }
            int count = in.readInt();
            List<String> options = new ArrayList<String>(count);
            for (int i = 0; i < count; i++) {
                options.add(read(in));
            }
            count = in.readInt();
            List<Source> sources = new ArrayList<Source>(count);
            for (int i = 0; i < count; i++) {
                sources.add(new Source(request == 'E' ? 0 : i, read(in), read(in)));
            }
            if (request == 'E') {
                List<String> folders = new ArrayList<String>(count);
                for (int i = 0; i < count; i++) {
                    folders.add(read(in));
                }
                int threads = in.readInt();
                while (compilers.size() < threads) {
                    compilers.add(new Compile());
                }
                for (byte[] answer : each(compilers.subList(0, threads), options, sources, folders)) {
                    out.write(answer);
                }
            } else {
                out.write(compilers.get(0).answer(request, options, sources));
            }
            out.flush();
        }
    }

    /**
     * Answers for each source by itself. All threads share the machine code that the JVM has of
     * javac.
     */
    private static byte[][] each(
            List<Compile> compilers, final List<String> options, final List<Source> sources, final List<String> folders)
            throws IOException {
        final byte[][] answers = new byte[sources.size()][];
        final AtomicInteger next = new AtomicInteger();
        List<Thread> threads = new ArrayList<Thread>();
        for (final Compile compiler : compilers) {
            Thread thread = new Thread(null, new Runnable() {
                @Override
                public void run() {
                    for (int i = next.getAndIncrement(); i < answers.length; i = next.getAndIncrement()) {
                        List<String> own = new ArrayList<String>(options);
                        own.add("-d");
                        own.add(folders.get(i));
                        try {
                            answers[i] = compiler.answer('C', own, Collections.singletonList(sources.get(i)));
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }
            }, "compiler", STACK);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
        return answers;
    }

    private byte[] answer(int request, List<String> options, List<Source> sources) throws IOException {
        final List<Diagnostic<? extends JavaFileObject>> errors =
                Collections.synchronizedList(new ArrayList<Diagnostic<? extends JavaFileObject>>());
        String failure = "";
        Facts facts = null;
        StringWriter messages = new StringWriter();
        try {
            JavacTask task = (JavacTask) compiler.getTask(messages, files,
                    new DiagnosticListener<JavaFileObject>() {
                        @Override
                        public void report(Diagnostic<? extends JavaFileObject> diagnostic) {
                            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                                errors.add(diagnostic);
                            }
                        }
                    }, options, null, sources);
            List<CompilationUnitTree> units = new ArrayList<CompilationUnitTree>();
            for (CompilationUnitTree unit : task.parse()) {
                units.add(unit);
            }
            task.analyze();
            if (request == 'F') {
                facts = new Facts(task, sources.size());
                // In the order of the sources. Javac wraps their file objects, so their type does
                // not show them.
                for (int i = 0; i < units.size(); i++) {
                    facts.collect(i, units.get(i));
                }
            } else if (errors.isEmpty()) {
                task.generate();
            }
        } catch (Throwable e) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace, true));
            failure = messages + trace.toString();
            // It may keep something half done.
            files.close();
            files = newFiles();
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(errors.size());
        for (Diagnostic<? extends JavaFileObject> error : errors) {
            JavaFileObject file = error.getSource();
            out.writeInt(file instanceof Source ? ((Source) file).number : -1);
            write(out, String.valueOf(error.getCode()));
            out.writeInt((int) error.getStartPosition());
            out.writeInt((int) error.getPosition());
            out.writeInt((int) error.getEndPosition());
            write(out, String.valueOf(error.getMessage(Locale.ENGLISH)));
        }
        write(out, failure);
        if (request == 'F') {
            for (int i = 0; i < sources.size(); i++) {
                List<int[]> found = facts == null ? Collections.<int[]>emptyList() : facts.found.get(i);
                out.writeInt(found.size());
                for (int[] fact : found) {
                    out.writeByte(fact[0]);
                    out.writeInt(fact[1]);
                    out.writeInt(fact[2]);
                }
            }
        }
        return bytes.toByteArray();
    }

    private static String read(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return new String(bytes, "UTF-8");
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes("UTF-8");
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** A source text under the path of its original, so that class files name the same file. */
    private static final class Source extends SimpleJavaFileObject {
        final int number;
        private final String text;

        Source(int number, String path, String text) {
            super(uri(path), JavaFileObject.Kind.SOURCE);
            this.number = number;
            this.text = text;
        }

        private static URI uri(String path) {
            return Paths.get(path).toUri();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Collects facts about expressions that the compiler knows and the text does not show. */
    private static final class Facts extends TreePathScanner<Void, Void> {
        final List<List<int[]>> found = new ArrayList<List<int[]>>();
        private final Trees trees;
        private final Types types;
        private final SourcePositions positions;
        private final Map<Tree, Boolean> constants = new IdentityHashMap<Tree, Boolean>();
        private CompilationUnitTree unit;
        private List<int[]> facts;

        Facts(JavacTask task, int files) {
            trees = Trees.instance(task);
            types = task.getTypes();
            positions = trees.getSourcePositions();
            for (int i = 0; i < files; i++) {
                found.add(new ArrayList<int[]>());
            }
        }

        void collect(int file, CompilationUnitTree unit) {
            this.unit = unit;
            facts = found.get(file);
            constants.clear();
            scan(unit, null);
        }

        private void fact(char fact, Tree tree) {
            int start = (int) positions.getStartPosition(unit, tree);
            int end = (int) positions.getEndPosition(unit, tree);
            // Code that the compiler adds (a record's members, a default constructor) has no
            // positions.
            if (start >= 0 && end > start) {
                facts.add(new int[] {fact, start, end});
            }
        }

        private boolean constant(Tree tree) {
            return constants.containsKey(tree);
        }

        private void constantIf(boolean all, Tree tree) {
            if (all) {
                constants.put(tree, Boolean.TRUE);
                fact('C', tree);
            }
        }

        private void name(Tree tree) {
            Element element = trees.getElement(getCurrentPath());
            if (element == null) {
                return;
            }
            switch (element.getKind()) {
                case PACKAGE:
                case TYPE_PARAMETER:
                    fact('T', tree);
                    return;
                default:
                    break;
            }
            if (element.getKind().isClass() || element.getKind().isInterface()) {
                fact('T', tree);
            } else if (element instanceof VariableElement) {
                constantIf(((VariableElement) element).getConstantValue() != null, tree);
            }
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void p) {
            name(tree);
            return null;
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void p) {
            super.visitMemberSelect(tree, p);
            name(tree);
            return null;
        }

        @Override
        public Void visitLiteral(LiteralTree tree, Void p) {
            if (tree.getKind() != Tree.Kind.NULL_LITERAL) {
                constants.put(tree, Boolean.TRUE);
            }
            return null;
        }

        @Override
        public Void visitParenthesized(ParenthesizedTree tree, Void p) {
            super.visitParenthesized(tree, p);
            if (constant(tree.getExpression())) {
                constants.put(tree, Boolean.TRUE);
            }
            return null;
        }

        @Override
        public Void visitUnary(UnaryTree tree, Void p) {
            super.visitUnary(tree, p);
            constantIf(constant(tree.getExpression()), tree);
            return null;
        }

        @Override
        public Void visitBinary(BinaryTree tree, Void p) {
            super.visitBinary(tree, p);
            constantIf(constant(tree.getLeftOperand()) && constant(tree.getRightOperand()), tree);
            return null;
        }

        @Override
        public Void visitTypeCast(TypeCastTree tree, Void p) {
            super.visitTypeCast(tree, p);
            TypeMirror type = trees.getTypeMirror(getCurrentPath());
            boolean may = type != null
                    && (type.getKind().isPrimitive() || type.toString().equals("java.lang.String"));
            constantIf(may && constant(tree.getExpression()), tree);
            return null;
        }

        @Override
        public Void visitConditionalExpression(ConditionalExpressionTree tree, Void p) {
            super.visitConditionalExpression(tree, p);
            constantIf(constant(tree.getCondition()) && constant(tree.getTrueExpression())
                    && constant(tree.getFalseExpression()), tree);
            boxed(tree.getTrueExpression());
            boxed(tree.getFalseExpression());
            return null;
        }

        private void boxed(ExpressionTree operand) {
            Tree tree = operand;
            TreePath path = new TreePath(getCurrentPath(), tree);
            while (tree instanceof ParenthesizedTree) {
                tree = ((ParenthesizedTree) tree).getExpression();
                path = new TreePath(path, tree);
            }
            TypeMirror type = trees.getTypeMirror(path);
            if (type == null || type.getKind() != TypeKind.DECLARED) {
                return;
            }
            try {
                types.unboxedType(type);
                fact('B', tree);
            } catch (IllegalArgumentException notBoxed) {
                // An ordinary object.
            }
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree tree, Void p) {
            super.visitMethodInvocation(tree, p);
            TypeMirror type = trees.getTypeMirror(getCurrentPath());
            if (type != null && type.getKind() == TypeKind.VOID) {
                fact('V', tree);
            }
            return null;
        }
    }
}
