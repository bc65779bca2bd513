package sample;

import org.testng.Assert;
import org.testng.IRetryAnalyzer;
import org.testng.ITestResult;
import org.testng.annotations.Test;

public class RetriedNTest {
    private static int attempts;

    public static class Once implements IRetryAnalyzer {
        private int left = 1;

        @Override
        public boolean retry(ITestResult result) {
            return left-- > 0;
        }
    }

    @Test(retryAnalyzer = Once.class)
    public void passesAtTheSecondAttempt() {
        Assert.assertTrue(attempts++ > 0);
    }
}
