//! A class with random results, for tests.
#![allow(clippy::unwrap_used)]

use crate::classfile::outlines::Outlines;
use crate::classfile::test_javac::compile;
use crate::code::Signature;

const COIN: &str = "package a; public class Coin {
    private final java.util.Random random = new java.util.Random();
    public boolean flip() { return below(2) == 0; }
    private int below(int bound) { return random.nextInt(bound); }
    public Box box() { return flip() ? new Box(\"a\") : new Box(\"b\"); }
    public long now() { return System.nanoTime(); }
    public static class Box { final String text; Box(String text) { this.text = text; } public String text() { return text; } }
}";

pub(in crate::fix) fn coin_outlines() -> Outlines {
    let folder = compile(&[COIN], &["-Xlint:none"]);
    Outlines::read(folder.path()).unwrap()
}

/// A method of the coin.
pub(in crate::fix) fn coin_method(name: &str, descriptor: &str) -> Signature {
    Signature { class: "a.Coin".into(), name: name.into(), descriptor: descriptor.into(), is_static: false }
}
