package org.example;

/** Final: only an inline mock maker can mock it. */
public final class Mail {
    private final String from;
    private int sent;

    public Mail(String from) {
        this.from = from;
    }

    public boolean send(String to, String text) {
        sent++;
        return !to.isEmpty() && !text.isEmpty() && !from.isEmpty();
    }

    public int sent() {
        int now = sent;
        return now;
    }

    public static Mail ofThePost() {
        Mail mail = new Mail("post");
        mail.sent = 0;
        return mail;
    }
}
