package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Ignore;
import org.junit.Rule;
import org.junit.Test;
import org.junit.experimental.categories.Category;
import org.junit.rules.ExternalResource;

public class KindsTest {
    private static int ofClass;
    private static int prepared;
    private int ofTest;

    @ClassRule
    public static final ExternalResource CLASS_RULE = new ExternalResource() {
        @Override
        protected void before() {
            ofClass = Kinds.classRule(1);
        }
    };

    @Rule
    public final ExternalResource rule = new ExternalResource() {
        @Override
        protected void before() {
            ofTest = Kinds.rule(1);
        }
    };

    @BeforeClass
    public static void prepare() {
        prepared = Kinds.beforeClass(1);
    }

    @Test
    public void plain() {
        assertEquals(2 + 1, Kinds.plain(1));
    }

    @Test
    public void rule() {
        assertEquals(3 + 1, ofTest);
    }

    @Test
    public void classRule() {
        assertEquals(4 + 1, ofClass);
    }

    @Test
    public void beforeClass() {
        assertEquals(5 + 1, prepared);
    }

    @Test(expected = ArithmeticException.class)
    public void expected() {
        System.out.println(1 / (Kinds.expected(1) - 6 - 1));
    }

    @Test
    @Category(Fast.class)
    public void category() {
        assertEquals(9 + 1, Kinds.category(1));
    }

    @Test
    @Category(Slow.class)
    public void slow() {
        assertEquals(10 + 1, Kinds.excluded(1));
    }

    @Test
    @Ignore
    public void ignored() {
        assertEquals(0, 1);
    }

    @Test
    public void unchecked() {
        int value = Kinds.unchecked(1);
    }
}
