package reneri.entry;

import reneri.driver.Driver;
import reneri.driver.Drivers;
import reneri.driver.Listener;
import reneri.rt.Events;

/** The entry of the worker into the project's class loader. Each loader has one driver. */
public final class Entry {
    private static Driver driver;

    private Entry() {
    }

    /** @param engine see {@link Drivers#create} */
    public static void open(String[] engine) throws Exception {
        driver = Drivers.create(Entry.class.getClassLoader(), engine);
    }

    public static String[] discover(String[] classNames, String groups, String excludedGroups) throws Exception {
        return driver.discover(classNames, groups, excludedGroups);
    }

    public static void run(String[] ids, boolean wholeClasses, boolean stopAtFirstFailure) throws Exception {
        driver.run(ids, wholeClasses, stopAtFirstFailure, new Listener() {
            @Override
            public boolean started(String id) {
                return Events.started(id);
            }

            @Override
            public void finished(String id, int outcome, Throwable thrown) {
                Events.finished(id, outcome, thrown);
            }

            @Override
            public void classEnded(boolean disturbed) {
                Events.classEnded(disturbed);
            }

            @Override
            public void testFound(String id, String name, String className) {
                Events.testFound(id, name, className);
            }
        });
    }
}
