//! Files appear whole or not at all, and errors of the system about an output are reported unchanged.

use crate::common::{batches_of, filled};
use psd_impute_frame::{
    ColumnOverrides, Compression, Error, Format, Plan, Result, Target, Writer, write_file,
};
use std::io::{ErrorKind, Write};

#[test]
fn a_file_is_replaced_when_the_new_one_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let read = || std::fs::read_to_string(&path).unwrap();
    write_file(&path, b"old").unwrap();
    let mut dropped = Target::file(&path).unwrap();
    dropped.write_all(b"half").unwrap();
    drop(dropped);
    assert_eq!(read(), "old");
    let mut target = Target::file(&path).unwrap();
    target.write_all(b"new").unwrap();
    assert_eq!(read(), "old");
    target.finish().unwrap();
    assert_eq!(read(), "new");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files are gone");
}

#[cfg(unix)]
#[test]
fn links_stay_links() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    std::fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink("real", &link).unwrap();
    write_file(&link, b"new").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
}

#[cfg(unix)]
#[test]
fn a_link_to_what_is_not_there_yet_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link, chain) =
        (folder.path().join("real"), folder.path().join("link"), folder.path().join("chain"));
    std::os::unix::fs::symlink("real", &link).unwrap();
    std::os::unix::fs::symlink(&link, &chain).unwrap();
    write_file(&chain, b"new").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink() && chain.symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
    let circle = folder.path().join("circle");
    std::os::unix::fs::symlink("circle", &circle).unwrap();
    assert!(matches!(write_file(&circle, b"new"), Err(Error::Io { .. })));
    assert!(circle.symlink_metadata().unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.csv");
    let mode = |path: &std::path::Path| path.metadata().unwrap().mode() & 0o777;
    write_file(&path, b"new").unwrap();
    std::fs::write(folder.path().join("usual"), b"").unwrap();
    assert_eq!(mode(&path), mode(&folder.path().join("usual")), "a new file is as any other");
    for kept in [0o600, 0o660, 0o640] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(kept)).unwrap();
        let mut target = Target::file(&path).unwrap();
        target.write_all(b"other").unwrap();
        let others = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        let open = others.filter(|file| file.file_name().unwrap().to_string_lossy().starts_with('.'));
        open.for_each(|file| assert_eq!(mode(&file), kept, "also while it is written"));
        target.finish().unwrap();
        assert_eq!(mode(&path), kept);
    }
}

#[test]
fn a_name_must_say_its_format() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["out.xyz", "out", "out.parquet.gz", "out.csv.bz2", "out."] {
        let path = folder.path().join(name);
        match Writer::create(&path, Format::Csv(Compression::None)).err().unwrap() {
            error @ Error::UnknownEnding { .. } => {
                assert!(error.hint().unwrap().contains(".parquet"), "{name}")
            }
            other => panic!("{name}: {other}"),
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    if cfg!(unix) {
        let null = std::path::Path::new("/dev/null");
        assert_eq!(Format::for_output(null, Format::Parquet).unwrap(), Format::Parquet);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_to_and_stays_one() {
    use std::os::unix::fs::FileTypeExt;
    let null = std::path::Path::new("/dev/null");
    write_file(null, b"anything").unwrap();
    assert!(null.metadata().unwrap().file_type().is_char_device());
    let full = std::path::Path::new("/dev/full");
    match write_file(full, b"anything").unwrap_err() {
        Error::Io { path, error } => assert_eq!((&*path, error.kind()), (full, ErrorKind::StorageFull)),
        other => panic!("{other}"),
    }
}

/// Takes a few bytes, then nothing more.
struct Gone(usize);

impl Write for Gone {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(ErrorKind::BrokenPipe.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn every_format_tells_that_its_reader_has_gone() {
    let batch = &batches_of("a,b\n1.5,2\nNA,3\n2.5,4\n")[0];
    let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap();
    let table = filled(&plan.encode(batch).unwrap().0, 2.0);
    let write = |format: Format| -> Result<()> {
        let mut writer = Writer::to(Gone(5), format, Format::Csv(Compression::None))?;
        writer.write(&plan.decode(batch, &table)?)?;
        writer.finish()
    };
    let text = [Compression::None, Compression::Gzip, Compression::Zstd].map(Format::Csv);
    for format in text.into_iter().chain([Format::Parquet, Format::ArrowFile, Format::ArrowStream]) {
        match write(format).unwrap_err() {
            Error::Io { error, .. } => assert_eq!(error.kind(), ErrorKind::BrokenPipe, "{format:?}"),
            other => panic!("{format:?}: {other}"),
        }
    }
}
