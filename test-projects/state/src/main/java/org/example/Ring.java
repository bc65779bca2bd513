package org.example;

/** A cycle: from any node one comes back to it. */
public class Ring {
    public static class Node {
        Node next;
        int marks;
    }

    public static Node ofTwo() {
        Node first = new Node();
        first.next = new Node();
        first.next.next = first;
        return first;
    }

    public void mark(Node node) {
        node.marks += 5;
    }
}
