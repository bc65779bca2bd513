// Generated from Engine.g4 by ANTLR 4.13.1
package org.kit;

public class Lexer {
    public int next(int position) {
        return position + 1;
    }
}
