package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.opentest4j.TestAbortedException;

/** The first failure is only an aborted attempt, and there is a second attempt then. */
class RetriedTest {
    private static boolean failed;

    static class Retry implements TestTemplateInvocationContextProvider {
        @Override
        public boolean supportsTestTemplate(ExtensionContext context) {
            return true;
        }

        @Override
        public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
            failed = false;
            return Stream.of(1, 2).filter(number -> number == 1 || failed).map(Attempt::new);
        }
    }

    static class Attempt implements TestTemplateInvocationContext, TestExecutionExceptionHandler {
        private final int number;

        Attempt(int number) {
            this.number = number;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return Collections.singletonList(this);
        }

        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
            if (number == 1) {
                failed = true;
                throw new TestAbortedException("once more", thrown);
            }
            throw thrown;
        }
    }

    @TestTemplate
    @ExtendWith(Retry.class)
    void retried() {
        assertEquals(20 + 1, Kinds.retried(1));
    }
}
