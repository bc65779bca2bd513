// Splits the text of -Dreneri.args into words, as a shell would.
package io.github.reneri.maven;

import java.util.ArrayList;
import java.util.List;
import org.apache.maven.plugin.MojoExecutionException;

final class Words {
    private Words() {
    }

    /**
     * White space separates words, and quotes of either kind group them. A backslash has no special
     * meaning.
     */
    static List<String> of(String text) throws MojoExecutionException {
        List<String> words = new ArrayList<>();
        StringBuilder word = null;
        char quote = 0;
        for (char letter : text.toCharArray()) {
            boolean begins = quote == 0 && (letter == '"' || letter == '\'');
            boolean separates = quote == 0 && Character.isWhitespace(letter);
            if (separates) {
                if (word != null) {
                    words.add(word.toString());
                }
                word = null;
                continue;
            }
            word = word == null ? new StringBuilder() : word;
            if (begins) {
                quote = letter;
            } else if (quote != 0 && letter == quote) {
                quote = 0;
            } else {
                word.append(letter);
            }
        }
        if (quote != 0) {
            throw new MojoExecutionException("In reneri.args a quote is not closed: " + text + "\nAdd the closing " + quote + " where it belongs.");
        }
        if (word != null) {
            words.add(word.toString());
        }
        return words;
    }
}
