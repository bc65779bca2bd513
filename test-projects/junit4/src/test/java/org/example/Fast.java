package org.example;

/** A category. */
public interface Fast {}
