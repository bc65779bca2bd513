import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import reneri.rt.Probe;

/** `java Scenarios active scenario active scenario …` prints a line for each pair: the result, and the logged calls of Probe. */
public final class Scenarios {
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < arguments.length; i += 2) {
            Probe.events.clear();
            Arrays.fill(Probe.entered, (byte) 0);
            Probe.active = Integer.parseInt(arguments[i]);
            Object result;
            try {
                result = scenario(arguments[i + 1]).call();
            } catch (Throwable thrown) {
                result = thrown;
            }
            StringBuilder line = new StringBuilder(text(result));
            for (int n = 0; n < Probe.entered.length; n++) {
                if (Probe.entered[n] != 0) {
                    line.append(" | entered ").append(n);
                }
            }
            for (String event : Probe.events) {
                line.append(" | ").append(event);
            }
            System.out.println(line);
        }
    }

    static String text(Object value) {
        if (value instanceof Object[]) {
            return Arrays.deepToString((Object[]) value);
        }
        if (value instanceof int[]) {
            return Arrays.toString((int[]) value);
        }
        return value instanceof Character ? "'" + value + "' " + (int) (Character) value : String.valueOf(value);
    }

    static Callable<Object> scenario(String name) {
        Returns returns = new Returns();
        List<String> log = new ArrayList<>();
        switch (name) {
            case "nothing": return () -> { StringBuilder out = new StringBuilder(); returns.nothing(out); return "<" + out + ">"; };
            case "z": return returns::z;
            case "b": return returns::b;
            case "c": return returns::c;
            case "s": return returns::s;
            case "i": return returns::i;
            case "j": return returns::j;
            case "f": return returns::f;
            case "d": return returns::d;
            case "string": return returns::string;
            case "object": return returns::object;
            case "text": return returns::text;
            case "number": return returns::number;
            case "ints": return returns::ints;
            case "strings": return returns::strings;
            case "bytes": return returns::bytes;
            case "optional": return returns::optional;
            case "list": return returns::list;
            case "self": return () -> returns.self(null) == returns;
            case "second": return () -> Returns.second(1, 2, "345");
            case "third": return () -> Returns.third(1, 2, "345");
            case "all": return () -> Arguments.all(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, "t", new int[7]);
            case "instance": return () -> new Arguments().instance(3L, 0.5);
            case "none": return () -> { Arguments.none(); return "done"; };
            case "loopAtStart": return () -> Flow.loopAtStart(3);
            case "recursive": return () -> Flow.recursive(3);
            case "outer": return () -> Flow.outer(5);
            case "throwing": return () -> Flow.throwing("x");
            case "catching": return () -> Flow.catching("x");
            case "tryFinally": return () -> Flow.tryFinally("8", log) + " " + log;
            case "tryFinallyThrows": return () -> { try { return Flow.tryFinally("x", log); } catch (Exception e) { return "caught " + log; } };
            case "finallyWins": return () -> Flow.finallyWins("x");
            case "table": return () -> Flow.table(1) + Flow.table(3) + Flow.table(4) + Flow.table(-9);
            case "lookup": return () -> Flow.lookup("pear") * 100 + Flow.lookup("a very long fruit") * 10 + Flow.lookup("kiwi");
            case "locked": return () -> { try { return Flow.locked(0); } catch (ArithmeticException e) { return Thread.holdsLock(Flow.class); } };
            case "block": return () -> { Flow flow = new Flow(); try { return flow.block(3) + flow.block(0); } catch (ArithmeticException e) { return Thread.holdsLock(flow); } };
            case "frames": return () -> Flow.frames(5, 3) + " " + Flow.frames(1, 2) + " " + Flow.frames(1, 1000);
            case "lambda": return () -> { Flow.lambda(log).run(); return log; };
            case "line": return () -> { try { return Flow.line(0); } catch (ArithmeticException e) { return e.getStackTrace()[0].getLineNumber(); } };
            case "annotated": return () -> Flow.annotated("given");
            case "mixed": return () -> Plain.mixed(5, 9L, 0.1) + " " + Plain.mixed(5, 9L, 0.9) + " " + Plain.mixed(0, 0, 0);
            case "subroutine": return () -> Plain.subroutine(41);
            case "built": return () -> new Built(true).value + " " + new Built(false).value;
            case "shape": return () -> Shape.square().corners();
            case "far": return () -> Far.far(5) + " " + Far.far(2500) + " " + Far.far(0) + " " + Far.far(7000);
            default: throw new IllegalArgumentException(name);
        }
    }
}
