package org.example;

public class Office {
    private final Mail mail;
    private final Ledger ledger;
    private int failures;

    public Office(Mail mail, Ledger ledger) {
        this.mail = mail;
        this.ledger = ledger;
    }

    /** Its effects are calls: mocks see one of them, and nobody verifies the other. */
    public boolean greet(String name) {
        boolean sent = mail.send(name, "Hello, " + name);
        if (!sent) {
            failures++;
        }
        note(name);
        return sent;
    }

    protected void note(String name) {
        ledger.enter("greeted " + name);
        tidy();
    }

    private void tidy() {
        failures = Math.max(0, failures);
        ledger.close();
    }

    public int failures() {
        int now = failures;
        return now;
    }

    public static boolean broadcast(String text) {
        boolean all = Mail.ofThePost().send("all", text);
        return all;
    }

    public static boolean alone(String text) {
        boolean sent = new Mail("alone").send("one", text);
        return sent;
    }
}
