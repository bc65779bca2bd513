package sample;

/** No test, and cannot be made: TestNG does not try. */
public class Helper {
    Helper(int needed) {}
}
