//! Tables whose headers and labels are hostile.

use crate::common::*;
use psd_impute_report::page;

const HOSTILE: [&str; 4] = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    "a & \u{2028} {{script}}",
];

fn hostile_page() -> String {
    let quoted = HOSTILE.map(|name| format!("\"{name}\""));
    let row = |i: usize| {
        let label = |k: usize| {
            if (i + k).is_multiple_of(5) { String::new() } else { quoted[(i * (k + 1) + k) % 4].clone() }
        };
        format!(
            "{},{},{},{}\n",
            label(0),
            label(1),
            (i * 7) % 23,
            if i.is_multiple_of(3) { String::new() } else { i.to_string() }
        )
    };
    let text = format!("{}\n{}", quoted.join(","), (0..80).map(row).collect::<String>());
    page(&findings(&text)).unwrap()
}

#[test]
fn nothing_of_a_table_is_markup() {
    let page = hostile_page();
    // The page's own two scripts, the one with the findings first.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<img") && !page.contains("<script>alert"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("a &amp; \u{2028} {{script}}"));
}

#[test]
fn the_findings_read_back() {
    let page = hostile_page();
    let start = page.split_once("id=\"findings\">").unwrap().1;
    let json = start.split_once("</script>").unwrap().0;
    let found: serde_json::Value = serde_json::from_str(json).unwrap();
    for (column, name) in found["columns"].as_array().unwrap().iter().zip(HOSTILE) {
        assert_eq!(column["name"], name);
    }
}

#[test]
fn the_page_needs_nothing_else() {
    let page = hostile_page();
    let policy = "default-src &#39;none&#39;; style-src &#39;sha256-";
    assert!(page.contains(policy));
    let own = page.split("id=\"findings\">").next().unwrap();
    for word in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!own.replace(HOSTILE[2], "").replace("&lt;img src=x", "").contains(word), "{word}");
    }
    assert_eq!(page.matches("{{").count(), page.matches("{{script}}").count());
}
