package org.example;

/** Has an enum, one constant of which is a class of its own. */
public class Light {
    public enum Color {
        RED("#f00"),
        GREEN("#0f0") {
            @Override
            boolean goes() {
                return true;
            }
        };

        /** Not that of the constant. */
        private final String name;

        Color(String name) {
            this.name = name;
        }

        boolean goes() {
            return false;
        }
    }

    private Color color = Color.RED;
    private int changes;

    public void change() {
        color = color.goes() ? Color.RED : Color.GREEN;
        changes++;
    }
}
