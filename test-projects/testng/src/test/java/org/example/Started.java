package org.example;

import org.testng.ISuite;
import org.testng.ISuiteListener;

public class Started implements ISuiteListener {
    static boolean started;

    @Override
    public void onStart(ISuite suite) {
        started = true;
    }

    @Override
    public void onFinish(ISuite suite) {
        started = false;
    }
}
