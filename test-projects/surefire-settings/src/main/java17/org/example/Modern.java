package org.example;

/** Only on the class path where the additional element is. */
public class Modern {
    public String release() {
        return "1" + 7;
    }
}
