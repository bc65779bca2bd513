package org.example;

import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;

/** Holds objects whose classes are made, and numbered, while the program runs. */
public class Generated extends Counted {
    private Runnable lambda = () -> {};
    private Object proxy = proxy(Runnable.class);
    private String names = lambda.getClass().getName() + ", " + proxy.getClass().getName();

    private static Object proxy(Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> null);
    }

    public void renew() {
        lambda = () -> System.gc();
        proxy = proxy(Callable.class);
        names = lambda.getClass().getName() + ", " + proxy.getClass().getName();
    }
}
