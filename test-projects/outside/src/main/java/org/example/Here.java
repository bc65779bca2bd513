package org.example;

import java.io.File;
import java.time.DayOfWeek;
import java.time.LocalDate;

/** What this machine and this day are like. Only `doubled` and the exception of `check` are the same everywhere. */
public class Here {
    public int doubled(int n) {
        return 2 * n;
    }

    public int year() {
        return LocalDate.now().getYear();
    }

    /** True on a day that is not 400 days after most others. */
    public boolean isHoliday() {
        return LocalDate.now().getMonthValue() == 12 && LocalDate.now().getDayOfMonth() == 25;
    }

    public String home() {
        return System.getProperty("user.home") + "/.example";
    }

    public int threads() {
        return Runtime.getRuntime().availableProcessors() * 2;
    }

    public String file() {
        return new File("a.txt").getAbsolutePath();
    }

    public String title() {
        return "title".toUpperCase();
    }

    /** Fails with a message of the JDK. */
    public void check(int day) {
        if (DayOfWeek.of(day) == null) {
            throw new IllegalStateException();
        }
    }

    public String java() {
        return "Java " + System.getProperty("java.version");
    }
}
