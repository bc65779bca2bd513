//! Values of plugin parameters, as the extension passes them on.

/// The text without white space around it; `None` if nothing is left.
pub(crate) fn trimmed(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_string)
}
