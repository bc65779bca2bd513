import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** For each line of the input, arguments of javac between tabs: what it says, and a line with its exit code. */
public class Javac {
    public static void main(String[] none) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String request; (request = requests.readLine()) != null; ) {
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            int code = compiler.run(null, said, said, request.split("\t"));
            System.out.println(said);
            System.out.println("end " + code);
        }
    }
}
