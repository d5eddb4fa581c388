//! Alone in its process, because it ends all writers there are.

use psd_impute_frame::{
    Batch, ColumnOverrides, Compression, Format, Plan, ReadOptions, Result, Source, Writer, remove_unfinished,
};

const TEXT: &str = "a,b\n1.5,2\nNA,3\n2.5,4\n";

/// A writer that has written something.
fn begun(path: &std::path::Path, plan: &Plan, batch: &Batch) -> Result<Writer> {
    let table = plan.encode(batch)?.0;
    let mut writer = Writer::create(path, Format::Csv(Compression::None))?;
    writer.write(&plan.decode(batch, &table)?)?;
    Ok(writer)
}

#[test]
fn open_writers_leave_nothing_behind() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let files = || std::fs::read_dir(folder.path()).map(|files| files.count());
    let path = |name: &str| folder.path().join(name);
    let source = Source::spool(TEXT.as_bytes(), &ReadOptions::default())?;
    let batch = source.batches()?.next().ok_or("a batch")??;
    let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new())?;

    begun(&path("finished.csv"), &plan, &batch)?.finish()?;
    drop(begun(&path("dropped.csv"), &plan, &batch)?);
    assert_eq!(files()?, 1);
    let open = [begun(&path("a.csv"), &plan, &batch)?, begun(&path("b.parquet"), &plan, &batch)?];
    assert_eq!(files()?, 3);
    remove_unfinished();
    assert_eq!(files()?, 1, "only what was finished is left");
    assert_eq!(std::fs::read_to_string(path("finished.csv"))?, TEXT);
    assert!(source.batches().is_err(), "the copy of what was spooled is gone, too");

    for writer in open {
        assert!(writer.finish().is_err());
    }
    assert_eq!(files()?, 1);
    begun(&path("after.csv"), &plan, &batch)?.finish()?;
    remove_unfinished();
    assert_eq!(files()?, 2);
    Ok(())
}
