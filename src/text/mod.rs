//! Text for people: escaping for each format, and the names of classes, methods and values in
//! words.

pub mod escape;
pub mod words;
