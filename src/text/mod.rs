//! Text for people: escaping for each format, and the names of classes, methods and values in
//! words. Also the encodings in which people write sources.

pub mod encoding;
pub mod escape;
pub mod words;
