package org.example;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** Answers in a thread of the server. */
public class Greeter extends AbstractHandler {
    private int answers;

    @Override
    public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(greeting(target.substring(1)));
        base.setHandled(true);
        note();
    }

    static String greeting(String name) {
        return "Hello, " + name;
    }

    private void note() {
        answers++;
    }
}
