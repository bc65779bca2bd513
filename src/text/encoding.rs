//! The encodings of Java sources: bytes to text, and back to the same bytes.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::ops::RangeInclusive;
use unicode_general_category::{GeneralCategory, get_general_category};

/// The byte-order mark.
pub const MARK: &str = "\u{feff}";
/// Oldest JDK that reads sources as UTF-8 if nobody says otherwise (JEP 400).
const UTF_8_BY_DEFAULT: u32 = 18;

/// The encoding of the sources of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceEncoding {
    charset: &'static Encoding,
    /// The bytes from 0x80 to 0x9f are control characters, as in ISO 8859. The encodings of the Web
    /// have other characters there.
    is_iso: bool,
    /// Only these characters are sure to be read by the compiler as we write them.
    is_ascii: bool,
    /// A byte-order mark says in which order the bytes are.
    is_marked: bool,
}

/// A decoded source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Without a byte-order mark.
    pub text: String,
    pub form: SourceForm,
}

/// The form in which a source is written: its encoding and its byte-order mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceForm {
    encoding: SourceEncoding,
    has_mark: bool,
}

impl Default for SourceEncoding {
    fn default() -> Self {
        Self { charset: UTF_8, is_iso: false, is_ascii: false, is_marked: false }
    }
}

impl SourceEncoding {
    /// The encoding with a name that javac knows. `None` stands for the default of a JDK.
    #[must_use]
    pub fn of(name: Option<&str>, java_release: u32) -> Self {
        let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
            return Self { is_ascii: java_release < UTF_8_BY_DEFAULT, ..Self::default() };
        };
        let label = name.to_lowercase().replace('_', "-");
        let plain: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
        match plain.as_str() {
            "utf16" => return Self { charset: UTF_16BE, is_marked: true, ..Self::default() },
            "ascii" | "usascii" | "ansix341968" | "iso646us" => return Self { is_ascii: true, ..Self::default() },
            "latin1" | "l1" | "ibm819" | "cp819" => {
                return Self { charset: WINDOWS_1252, is_iso: true, ..Self::default() };
            }
            _ => {}
        }
        let is_iso = plain.starts_with("iso8859");
        let known = Encoding::for_label(label.as_bytes())
            .or_else(|| Encoding::for_label(label.replacen("iso8859", "iso-8859", 1).as_bytes()))
            .or_else(|| Encoding::for_label(plain.as_bytes()));
        match known {
            Some(charset) => Self { charset, is_iso, ..Self::default() },
            None => Self { is_ascii: true, ..Self::default() },
        }
    }

    /// Decodes a source. One that is not in its encoding is read so that [`SourceForm::encode`] gives the
    /// same bytes for the same text.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> Decoded {
        let (encoding, mark) = self.marked(bytes);
        let body = bytes.get(mark..).unwrap_or_default();
        let form = SourceForm { encoding, has_mark: mark > 0 };
        let text = encoding.text_of(body);
        let decoded = Decoded { text, form };
        if form.encode(&decoded.text).as_deref() == Some(bytes) {
            return decoded;
        }
        // In this encoding, every byte is some character.
        let encoding = Self { charset: WINDOWS_1252, is_ascii: true, ..Self::default() };
        Decoded { text: encoding.text_of(bytes), form: SourceForm { encoding, has_mark: false } }
    }

    /// The encoding that a byte-order mark asks for, and the length of the mark.
    fn marked(self, bytes: &[u8]) -> (Self, usize) {
        if self.is_marked {
            return match bytes {
                [0xff, 0xfe, ..] => (Self { charset: UTF_16LE, ..self }, 2),
                [0xfe, 0xff, ..] => (Self { charset: UTF_16BE, ..self }, 2),
                _ => (self, 0),
            };
        }
        let has_mark = self.charset == UTF_8 && bytes.starts_with(&[0xef, 0xbb, 0xbf]);
        (self, if has_mark { 3 } else { 0 })
    }

    fn text_of(self, bytes: &[u8]) -> String {
        if self.is_iso {
            let text = self.charset.decode_without_bom_handling(bytes).0;
            let single = |(byte, character): (&u8, char)| if is_control(*byte) { char::from(*byte) } else { character };
            return bytes.iter().zip(text.chars()).map(single).collect();
        }
        self.charset.decode_without_bom_handling(bytes).0.into_owned()
    }

    /// Whether the compiler reads this character as it is written.
    #[must_use]
    pub fn can_hold(self, character: char) -> bool {
        character.is_ascii() || !self.is_ascii && self.bytes_of(character.encode_utf8(&mut [0; 4])).is_some()
    }

    fn bytes_of(self, text: &str) -> Option<Vec<u8>> {
        if self.charset == UTF_16BE || self.charset == UTF_16LE {
            let bytes = if self.charset == UTF_16BE { u16::to_be_bytes } else { u16::to_le_bytes };
            return Some(text.encode_utf16().flat_map(bytes).collect());
        }
        if self.is_iso {
            return text.chars().map(|character| self.iso_byte(character)).collect();
        }
        let (bytes, _, has_unmappable) = self.charset.encode(text);
        (!has_unmappable).then(|| bytes.into_owned())
    }

    fn iso_byte(self, character: char) -> Option<u8> {
        if let Ok(byte) = u8::try_from(u32::from(character))
            && (byte.is_ascii() || is_control(byte))
        {
            return Some(byte);
        }
        match self.charset.encode(character.encode_utf8(&mut [0; 4])) {
            (bytes, _, false) => bytes.first().copied().filter(|byte| bytes.len() == 1 && !is_control(*byte)),
            _ => None,
        }
    }
}

/// Whether ISO 8859 has a control character in place of this byte.
fn is_control(byte: u8) -> bool {
    (0x80..0xa0).contains(&byte)
}

impl SourceForm {
    /// The name by which [`SourceEncoding::of`] knows the encoding. `None` for UTF-8.
    #[must_use]
    pub fn name(self) -> Option<String> {
        let SourceEncoding { charset, is_iso, is_ascii, is_marked } = self.encoding;
        match charset.name() {
            _ if is_marked => Some("UTF-16".to_owned()),
            "UTF-8" if is_ascii => Some("US-ASCII".to_owned()),
            "UTF-8" => None,
            "windows-1252" if is_iso => Some("ISO-8859-1".to_owned()),
            "windows-1254" if is_iso => Some("ISO-8859-9".to_owned()),
            name => Some(name.to_owned()),
        }
    }

    /// The bytes of a text in this form. `None` if the encoding lacks one of its characters.
    #[must_use]
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(text.len() + 3);
        if self.has_mark {
            bytes.extend(self.encoding.bytes_of(MARK)?);
        }
        bytes.extend(self.encoding.bytes_of(text)?);
        Some(bytes)
    }

    /// The bytes of a patch for a source in this form. `None` if the encoding lacks one of its
    /// characters, or if Git does not see text in it.
    #[must_use]
    pub fn encode_patch(self, patch: &str) -> Option<Vec<u8>> {
        if [UTF_16BE, UTF_16LE].contains(&self.encoding.charset) {
            return None;
        }
        self.encoding.bytes_of(patch)
    }

    /// The text with the byte-order mark as a character, as Git sees the file.
    #[must_use]
    pub fn marked(self, text: &str) -> String {
        if self.has_mark { format!("{MARK}{text}") } else { text.to_owned() }
    }

    /// The same Java code with characters that the compiler may not read as they are as Unicode
    /// escapes (JLS §3.3).
    #[must_use]
    pub fn escaped(self, code: &str) -> String {
        let mut written = String::with_capacity(code.len());
        for character in code.chars() {
            if self.encoding.can_hold(character) {
                written.push(character);
            } else {
                push_escaped(&mut written, character);
            }
        }
        written
    }
}

/// Characters that show nothing, although their category does not tell: fillers, and signs that only
/// change how the character before them looks.
const BLANK: [RangeInclusive<char>; 8] = [
    '\u{34f}'..='\u{34f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{e0100}'..='\u{e01ef}',
];

/// Whether people do not see the character, or take it for a space: controls, spaces other than the
/// usual one, signs that change the direction of a text.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator};
    let unseen = [Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator];
    character != ' ' && !character.is_ascii_graphic() && unseen.contains(&get_general_category(character))
        || character == '\u{ffa0}'
        || BLANK.iter().any(|range| range.contains(&character))
}

/// Appends the Unicode escapes of a character (JLS §3.3).
pub fn push_escaped(text: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        text.push_str(&format!("\\u{unit:04x}"));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn decoded(name: &str, bytes: &[u8]) -> Decoded {
        SourceEncoding::of(Some(name), 17).decode(bytes)
    }

    #[test]
    fn a_source_is_read_in_its_encoding_and_written_as_the_same_bytes() {
        let cases: [(&str, &[u8], &str); 13] = [
            ("UTF-8", b"gr\xc3\xbcn", "grün"),
            ("UTF8", b"\xef\xbb\xbfgr\xc3\xbcn", "grün"),
            ("ISO-8859-1", b"gr\xfcn \x80", "grün \u{80}"),
            ("ISO8859_1", b"gr\xfcn", "grün"),
            ("latin1", b"gr\xfcn", "grün"),
            ("ISO8859_15", b"\xa4", "€"),
            ("windows-1252", b"\x80 gr\xfcn", "€ grün"),
            ("Cp1252", b"\x80", "€"),
            ("UTF-16", b"\xff\xfea\0\xfc\0", "aü"),
            ("UTF-16", b"\xfe\xff\0a\0\xfc", "aü"),
            ("UTF-16", b"\0a\0\xfc", "aü"),
            ("UTF-16LE", b"a\0\xfc\0", "aü"),
            ("Shift_JIS", b"\x93\xfa", "日"),
        ];
        for (name, bytes, text) in cases {
            let decoded = decoded(name, bytes);
            assert_eq!(decoded.text, text, "{name}");
            assert_eq!(decoded.form.encode(text).as_deref(), Some(bytes), "{name}");
        }
    }

    #[test]
    fn an_encoding_is_known_by_its_own_name() {
        for name in ["UTF-16", "US-ASCII", "ISO-8859-1", "ISO-8859-9", "ISO-8859-15", "windows-1252", "GBK", "UTF-16LE"]
        {
            let named = SourceEncoding::of(Some(name), 17).decode(b"").form.name();
            assert_eq!(named.as_deref(), Some(name));
        }
        assert_eq!(SourceEncoding::of(Some("utf8"), 17).decode(b"").form.name(), None);
    }

    #[test]
    fn a_source_that_is_not_in_its_encoding_keeps_its_bytes() {
        for name in ["UTF-8", "US-ASCII", "UTF-16", "x-unknown"] {
            let bytes = b"class A { } // gr\xfcn \x81";
            let decoded = decoded(name, bytes);
            assert_eq!(decoded.form.encode(&decoded.text).as_deref(), Some(bytes.as_slice()), "{name}");
            assert_eq!(decoded.form.escaped("\"ü\""), "\"\\u00fc\"", "{name}");
        }
    }

    #[test]
    fn what_an_encoding_lacks_is_escaped() {
        let escaped =
            |name: Option<&str>, release: u32| SourceEncoding::of(name, release).decode(b"").form.escaped("aü€😀");
        assert_eq!(escaped(Some("UTF-8"), 8), "aü€😀");
        assert_eq!(escaped(Some("ISO-8859-1"), 8), "aü\\u20ac\\ud83d\\ude00");
        assert_eq!(escaped(Some("windows-1252"), 8), "aü€\\ud83d\\ude00");
        assert_eq!(escaped(Some("US-ASCII"), 8), "a\\u00fc\\u20ac\\ud83d\\ude00");
        assert_eq!(escaped(None, 21), "aü€😀", "UTF-8 since JDK 18");
        assert_eq!(escaped(None, 17), "a\\u00fc\\u20ac\\ud83d\\ude00", "the machine decides");
    }
}
