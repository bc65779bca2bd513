package org.example;

import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;

/** Shows amounts and moments as the locale and the time zone of the JVM have it, which it also changes. */
public class Amounts extends Counted {
    private String moment = moment();

    private static String moment() {
        return String.format("%tc.%<tN", new Date());
    }

    public void refresh() {
        moment = moment();
    }

    public void moveToBerlin() {
        Locale.setDefault(Locale.GERMANY);
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
    }

    public String show(double amount) {
        return String.format("%,.2f", amount) + " in " + TimeZone.getDefault().getID();
    }
}
