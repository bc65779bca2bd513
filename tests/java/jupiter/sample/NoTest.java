package sample;

class NoTest {}
