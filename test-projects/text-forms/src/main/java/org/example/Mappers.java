package org.example;

public class Mappers {
    public static class Upper {
        public StringBuilder map(String text) {
            return new StringBuilder(text.toUpperCase());
        }
    }

    public static class Lower {
        public StringBuilder map(String text) {
            return new StringBuilder(text.toLowerCase());
        }
    }
}
