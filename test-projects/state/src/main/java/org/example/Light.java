package org.example;

/** Has an enum, one constant of which is a class of its own. */
public class Light {
    public enum Color {
        RED,
        GREEN {
            @Override
            boolean goes() {
                return true;
            }
        };

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
