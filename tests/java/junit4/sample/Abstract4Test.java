package sample;

public abstract class Abstract4Test extends Base4 {}
