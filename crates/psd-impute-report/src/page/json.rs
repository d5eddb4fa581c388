//! JSON within a document.

use crate::error::Result;
use serde::Serialize;

/// JSON for a script element: characters not allowed there are escaped, which does not change the parsed value.
pub(super) fn embedded(value: &impl Serialize) -> Result<String> {
    let mut out = String::new();
    for c in serde_json::to_string(value)?.chars() {
        match c {
            // These occur only in strings, where JSON has an escape for every character.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_embedded_reads_back_and_ends_no_script() {
        let hostile = vec!["</script><!--<script>", "a & b > c", "\u{2028}\u{2029}", "\"\\\u{0}"];
        let text = embedded(&hostile).unwrap();
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), hostile);
    }
}
