//! `report`: its page, which depends only on its input.

#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;

impl Folder {
    /// A folder with a table of two numbers and labels, all with missing cells, and a model of it.
    fn with_model() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let mut text = String::from("x,y,label\n");
        for i in 0..90 {
            let gap = |k: usize, cell: String| if (i + k).is_multiple_of(7) { String::new() } else { cell };
            let (x, y) = ((i * 37) % 90, (i * 53) % 71);
            text += &format!(
                "{},{},{}\n",
                gap(0, x.to_string()),
                gap(2, format!("{}.5", x + y)),
                gap(4, ["a", "b"][x / 45].to_string())
            );
        }
        std::fs::write(folder.path("table.csv"), text).unwrap();
        assert!(folder.command("fit table.csv -o model --quiet --time-budget 2").status().unwrap().success());
        folder
    }
}

#[test]
fn the_page_is_the_same_on_any_number_of_threads() {
    let folder = Folder::with_model();
    let page = |threads: &str| {
        let mut command = folder.command("report table.csv --model model -o report.html --quiet");
        assert!(command.env("RAYON_NUM_THREADS", threads).status().unwrap().success());
        folder.get("report.html")
    };
    assert!(page("1") == page("4"));
}

#[test]
fn tables_come_from_and_pages_go_to_streams() {
    let folder = Folder::with_model();
    let mut command = folder.command("report - --model model -o -");
    let output = command.stdin(std::fs::File::open(folder.path("table.csv")).unwrap()).output().unwrap();
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"<!doctype html>") && output.stdout.ends_with(b"</html>\n"));
}

#[test]
fn bounds_hold_for_what_is_shown() {
    let folder = Folder::with_model();
    let command =
        &mut folder.command("report table.csv --model model -o report.html --quiet --bounds x=0:89");
    assert!(command.status().unwrap().success());
    let page = folder.get("report.html");
    let findings = page.split("id=\"findings\">").nth(1).unwrap().split("</script>").next().unwrap();
    let findings: serde_json::Value = serde_json::from_str(findings).unwrap();
    let rows = findings["cells"]["rows"].as_array().unwrap();
    let known: Vec<&serde_json::Value> =
        rows.iter().map(|row| &row["cells"][0]["at"]).filter(|at| !at.is_null()).collect();
    assert!(known.len() > 5);
    let inside = |x: &serde_json::Value| (0.0..=89.0).contains(&x.as_f64().unwrap());
    assert!(known.iter().all(|at| at.as_array().unwrap().iter().all(inside)));
    assert_eq!(findings["settings"]["bounds"][0], "x=0:89");
}
