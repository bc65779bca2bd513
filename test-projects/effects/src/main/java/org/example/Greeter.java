package org.example;

public class Greeter {
    public void greet(String name) {
        print("Hello, " + name);
    }

    private static void print(String text) {
        System.out.println(text);
    }
}
