package sample;

public class Inherits4Test extends Base4 {}
