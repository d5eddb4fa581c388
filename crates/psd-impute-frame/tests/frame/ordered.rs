//! Columns of ordered levels.

use crate::common::{asked, batches_of, complete, plan_of};
use psd_impute::table::Kind as EngineKind;
use psd_impute_frame::{Bounds, ColumnOverride, ColumnOverrides, End, Error, Kind, Plan, Role};

const TABLE: &str = "grade,score,x\nG2,1,0.5\nG1,3,1.5\n,2,\nG3,,2.5\nG2,3,1.0\n";

fn ordered(column: &str, levels: Option<&[&str]>) -> ColumnOverrides {
    let levels = levels.map(|levels| levels.iter().map(ToString::to_string).collect());
    ColumnOverrides::from([(column.to_string(), ColumnOverride::Ordered(levels))])
}

#[test]
fn labels_are_seen_by_the_engine_in_the_order_given() {
    let plan = plan_of(TABLE, &ordered("grade", Some(&["G3", "G2", "G1", "G0"]))).unwrap();
    let column = plan.column("grade").unwrap();
    let labels = ["G3", "G2", "G1"].map(String::from).to_vec();
    assert_eq!(*column.kind(), Kind::Labels { labels, ordered: true });
    assert_eq!((column.kind().name(), column.role()), ("ordered", &Role::Modelled));
    let (table, report) = plan.encode(&batches_of(TABLE)[0]).unwrap();
    assert_eq!(*table.columns()[0].kind(), EngineKind::Ordered(vec![0.0, 1.0, 2.0]));
    let cells: Vec<f64> = table.rows().map(|row| row[0]).collect();
    assert_eq!((cells[0], cells[1], cells[3]), (1.0, 2.0, 0.0));
    assert!(cells[2].is_nan() && report.columns[0].missing == 1);
    let again: Plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    assert_eq!(again, plan);
}

#[test]
fn numbers_are_seen_as_they_are() {
    let plan = plan_of(TABLE, &ordered("score", None)).unwrap();
    let kind = plan.column("score").unwrap().kind();
    assert!(matches!(kind, Kind::Levels { values, .. } if *values == [1.0, 2.0, 3.0]));
    let (table, _) = plan.encode(&batches_of(TABLE)[0]).unwrap();
    assert_eq!(*table.columns()[0].kind(), EngineKind::Ordered(vec![1.0, 2.0, 3.0]));
    assert_eq!(table.row(1)[0], 3.0);
    let bounds = Bounds { column: "score".to_string(), ends: [Some(End::Number(1.5)), None] };
    assert_eq!(plan.limits(&asked(bounds), None).unwrap().of(0).0, 1.5);
    // A number that the model does not know counts as missing.
    let (_, report) = plan.encode(&batches_of("grade,score,x\nG2,7,0.5\n")[0]).unwrap();
    assert_eq!(report.columns[0].unseen, 1);
}

#[test]
fn cells_come_back_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
    std::fs::write(&input, TABLE).unwrap();
    complete(&input, &output, &ordered("grade", Some(&["G3", "G2", "G1"])), 2.0).unwrap();
    assert_eq!(std::fs::read_to_string(&output).unwrap().lines().nth(3), Some("G1,2,2.0"));
    complete(&input, &output, &ordered("score", None), 2.0).unwrap();
    assert_eq!(std::fs::read_to_string(&output).unwrap().lines().nth(4), Some("G3,2,2.5"));
}

#[test]
fn what_has_no_order_is_refused() {
    let problem = |overrides: &ColumnOverrides| match plan_of(TABLE, overrides) {
        Err(Error::BadOverride { problem, .. }) => problem,
        other => panic!("{other:?}"),
    };
    assert_eq!(problem(&ordered("grade", None)), "its labels have no order of their own");
    assert_eq!(
        problem(&ordered("grade", Some(&["G1", "G2"]))),
        "its label `G3` is not one of the levels given"
    );
    assert_eq!(problem(&ordered("score", Some(&["3", "2", "1"]))), "numbers are ordered by their size");
    assert_eq!(problem(&ordered("score", Some(&["1", "2"]))), "its cell 3 is not one of the levels given");
    assert!(plan_of(TABLE, &ordered("score", Some(&["1", "2", "3", "4"]))).is_ok());
}

#[test]
fn a_stored_plan_has_no_level_twice() {
    let json = r#"{"columns":[{"name":"z","kind":{"holds":"labels","labels":["b","b"],"ordered":true},"role":"modelled"}]}"#;
    let error = serde_json::from_str::<Plan>(json).unwrap_err().to_string();
    assert!(error.contains("comes twice"), "{error}");
    let json = r#"{"columns":[{"name":"z","kind":{"holds":"labels","labels":["b","a"],"ordered":true},"role":"modelled"}]}"#;
    assert!(serde_json::from_str::<Plan>(json).is_ok());
}
