package sample;

class InheritsTest implements Base {}
