package org.example;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

/** Asserts next to nothing, so that every difference is left to the comparison of the two sides. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class NoiseTest {
    @Test
    public void amountsAreShown() {
        Amounts amounts = new Amounts();
        amounts.refresh();
        amounts.count();
        amounts.moveToBerlin();
        String shown = amounts.show(1234.5);
        assertTrue(shown, shown.contains("234"));
    }

    @Test
    public void amountsAreShownWhereTheyWereLeft() {
        assertTrue(new Amounts().show(1234.5).contains("234"));
    }

    @Test
    public void diceAreRolled() {
        Dice dice = new Dice();
        dice.roll();
        dice.count();
    }

    @Test
    public void digestIsUpdated() {
        Digest digest = new Digest();
        digest.update("text");
        digest.count();
    }

    @Test
    public void folderIsChanged() {
        Folder folder = new Folder();
        folder.change();
        folder.count();
    }

    @Test
    public void generatedClassesAreRenewed() {
        Generated generated = new Generated();
        generated.renew();
        generated.count();
    }

    @Test
    public void hashIsComputedOnce() {
        LazyHash hash = new LazyHash();
        hash.warm();
        hash.count();
    }

    @Test
    public void identityIsRenewed() {
        Identity identity = new Identity();
        identity.renew();
        identity.count();
    }

    @Test
    public void loadOrderIsRead() {
        LoadOrder order = new LoadOrder();
        order.readAgain();
        order.count();
    }

    @Test
    public void memoIsCold() {
        assertEquals("a", new Memo().name(10));
    }

    @Test
    public void memoIsWarm() {
        Memo memo = new Memo();
        memo.warm();
        memo.count();
        assertEquals("a", memo.name(10));
        assertEquals("b", memo.name(11));
    }

    @Test
    public void orderIsShuffled() {
        Order order = new Order();
        order.shuffle();
        order.count();
    }

    @Test
    public void portIsChanged() {
        Port port = new Port();
        port.change();
        port.count();
    }

    @Test
    public void stopwatchIsStopped() {
        Stopwatch watch = new Stopwatch();
        watch.stop();
        watch.count();
    }

    @Test
    public void threadsAreRestarted() {
        Threads threads = new Threads();
        threads.restart();
        threads.count();
    }
}
