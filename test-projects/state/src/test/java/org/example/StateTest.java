package org.example;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.Test;

/** Whoever reads the state must call none of these objects' methods: three tests would notice. */
public class StateTest {
    @Test
    public void cycle() {
        new Ring().mark(Ring.ofTwo());
    }

    @Test
    public void longChain() {
        Chain.of(50_000).pull();
    }

    @Test
    public void hugeCollection() {
        new Heap().fill(new ArrayList<>());
    }

    @Test
    @SuppressWarnings("unchecked")
    public void proxy() {
        AtomicInteger calls = new AtomicInteger();
        InvocationHandler handler = (proxy, method, arguments) -> {
            calls.incrementAndGet();
            throw new IllegalStateException("too early");
        };
        Class<?>[] types = {Supplier.class};
        new Lazy().keep((Supplier<String>) Proxy.newProxyInstance(getClass().getClassLoader(), types, handler));
        assertEquals(0, calls.get());
    }

    @Test
    public void record() {
        new Pen().move();
    }

    @Test
    public void enumeration() {
        new Light().change();
    }

    @Test
    public void constantThatHoldsSomething() {
        assertEquals(Tariff.BASIC, Tariff.valueOf("BASIC"));
    }

    @Test
    public void sealedType() {
        new Canvas().square();
    }

    @Test
    public void hiddenClass() {
        new Action(3).act();
    }

    @Test
    public void methodsThatThrow() {
        new Angry().tease();
    }

    @Test
    public void threadPool() {
        new Crew().work();
    }

    @Test
    public void largeContainers() {
        new Store().close();
    }

    @Test
    public void sizeThatCounts() {
        Counting counting = new Counting();
        counting.note();
        assertFalse(counting.wasAsked());
    }
}
