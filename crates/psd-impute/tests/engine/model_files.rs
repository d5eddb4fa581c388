//! Malicious model files: they are read or refused, without other effects.

use crate::common::*;
use crate::model::{MEMBERS, table, written};
use psd_impute::impute::Limits;
use psd_impute::model::Model;
use psd_impute::table::{RowCounter, Table};
use psd_impute::{Error, ModelFileError};
use rand::{Rng, RngExt};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use std::collections::BTreeMap;

/// Before the payload: the magic, the version and the length.
const HEAD: usize = 20;

/// Length and checksum as they should be, whatever the payload is.
fn sealed(head: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut file = head[..12].to_vec();
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(payload);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file
}

fn payload(file: &[u8]) -> &[u8] {
    &file[HEAD..file.len() - 4]
}

/// The tensors of a file with their type, shape and bytes, and the layout.
type Parts = (BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>, String);

fn apart(file: &[u8]) -> Parts {
    let tensors = SafeTensors::deserialize(payload(file)).unwrap();
    let parts = tensors
        .iter()
        .map(|(name, t)| (name.to_string(), (t.dtype(), t.shape().to_vec(), t.data().to_vec())));
    let (_, header) = SafeTensors::read_metadata(payload(file)).unwrap();
    (parts.collect(), header.metadata().as_ref().unwrap()["model"].clone())
}

fn together(file: &[u8], (tensors, layout): &Parts) -> Vec<u8> {
    let views = tensors.iter().map(|(name, (dtype, shape, data))| {
        (name.clone(), TensorView::new(*dtype, shape.clone(), data).unwrap())
    });
    let metadata = [("model".to_string(), layout.clone())].into_iter().collect();
    sealed(file, &safetensors::serialize(views, Some(metadata)).unwrap())
}

/// A small model of every kind of member and column, and a table for it.
fn small() -> (Table, Vec<u8>) {
    let table = table(40);
    let options = stack_of(MEMBERS.to_vec(), 3);
    let model = Model::fit(&table, &options).unwrap();
    (table.select(&[0, 1, 2, 3]).unwrap(), written(&model, "notes"))
}

/// Reads a file and uses the model, if it is one; returns whether it was.
fn survives(file: &[u8], table: &Table) -> bool {
    let Ok((model, _)) = Model::read(file) else { return false };
    if model.columns().len() == table.columns().len() {
        let imputer = model.imputer(Limits::none(table.columns().len())).unwrap();
        let _ = imputer.independent_draws(table, 1, 1);
        let _ = imputer.mean(table);
        let _ = model.report();
    }
    true
}

/// The same with a refit.
fn survives_a_refit(file: &[u8], table: &Table) -> bool {
    let Ok((model, _)) = Model::read(file) else { return false };
    if let (true, Ok(draws)) = (model.columns() == table.columns(), model.imputations(3, 1)) {
        let _ = draws.nth(1).map(|first| first.complete(table, &mut RowCounter::default()));
    }
    true
}

/// A mutation of a payload: in its header or its numbers, bits are flipped, bytes set, pieces cut out, doubled or exchanged.
fn mutated(payload: &[u8], rng: &mut dyn Rng) -> Vec<u8> {
    let mut out = payload.to_vec();
    let header = 8 + u64::from_le_bytes(payload[..8].try_into().unwrap()) as usize;
    loop {
        let (start, end) = if rng.random::<f64>() < 0.3 { (0, header) } else { (header, payload.len()) };
        let a = rng.random_range(start..end.min(out.len()));
        let b = rng.random_range(a..out.len().min(a + 40));
        match rng.random_range(0..20) {
            0..14 => out[a] ^= 1 << rng.random_range(0..8),
            14..17 => out[a] = [0, 0xff, b'0', b'9', b'"', b'[', 0x7f, 0xf0][rng.random_range(0..8)],
            17 => drop(out.drain(a..b)),
            18 => {
                let piece = out[a..b].to_vec();
                out.splice(a..a, piece);
            }
            _ => out.swap(a, b),
        }
        if rng.random() {
            return out;
        }
    }
}

#[test]
fn mutated_files_are_read_or_refused() {
    let (table, file) = small();
    assert!(survives(&file, &table));
    let rng = &mut rng(99);
    let mut read = 0;
    for _ in 0..14_000 {
        let payload = mutated(payload(&file), rng);
        read += usize::from(survives(&sealed(&file, &payload), &table));
    }
    // Many flips change a number only a little. Both outcomes have to be met for this to say something.
    assert!((1_000..13_000).contains(&read), "{read}");
    for _ in 0..3_000 {
        // Cut, lengthened, or with another length, version or checksum, without putting it right.
        let mut other = file.clone();
        match rng.random_range(0..3) {
            0 => other.truncate(rng.random_range(0..file.len())),
            1 => other.extend((0..rng.random_range(1..50)).map(|_| 7)),
            _ => other[rng.random_range(0..HEAD)] ^= 1 << rng.random_range(0..8),
        }
        assert!(Model::read(&other).is_err());
    }
}

#[test]
fn exchanged_and_reshaped_tensors_are_read_or_refused() {
    let (table, file) = small();
    let (tensors, layout) = apart(&file);
    assert_eq!(together(&file, &(tensors.clone(), layout.clone())), file);
    let names: Vec<&String> = tensors.keys().collect();
    let rng = &mut rng(5);
    let mut read = 0;
    for _ in 0..3_000 {
        let mut other = tensors.clone();
        let pick = |rng: &mut dyn Rng| names[rng.random_range(0..names.len())].clone();
        let (a, b) = (pick(rng), pick(rng));
        match rng.random_range(0..4) {
            0 => {
                let (x, y) = (other[&a].clone(), other[&b].clone());
                other.insert(a, y);
                other.insert(b, x);
            }
            1 => drop(other.remove(&a)),
            2 => {
                let tensor = other.get_mut(&a).unwrap();
                tensor.1 = match rng.random_range(0..3) {
                    0 => tensor.1.iter().rev().copied().collect(),
                    1 => vec![1, tensor.1.iter().product()],
                    _ => vec![tensor.1.iter().product()],
                };
            }
            _ => {
                // A number that no model has, or one that it may have.
                let tensor = other.get_mut(&a).unwrap();
                let n = tensor.2.len() / 8;
                if n > 0 {
                    let odd = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1.0, 0.3, 1e300, -1e300, 1e-300];
                    let at = 8 * rng.random_range(0..n);
                    tensor.2[at..at + 8].copy_from_slice(&odd[rng.random_range(0..odd.len())].to_le_bytes());
                }
            }
        }
        let other = together(&file, &(other, layout.clone()));
        read += usize::from(survives(&other, &table) && survives_a_refit(&other, &table));
    }
    assert!((50..2_500).contains(&read), "{read}");
}

/// The error of a file in which one tensor holds other numbers.
fn error_with(file: &[u8], name: &str, change: impl Fn(&mut Vec<f64>)) -> String {
    let (mut tensors, layout) = apart(file);
    let names: Vec<String> = tensors.keys().cloned().collect();
    let tensor = tensors.get_mut(name).unwrap_or_else(|| unreachable!("{name} in {names:?}"));
    let mut numbers: Vec<f64> =
        tensor.2.as_chunks().0.iter().map(|bytes: &[u8; 8]| f64::from_le_bytes(*bytes)).collect();
    change(&mut numbers);
    tensor.2 = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    match Model::read(&together(file, &(tensors, layout))) {
        Ok(_) => "read".to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn numbers_that_no_model_has_are_told() {
    let (_, file) = small();
    for (name, at, value, part) in [
        ("scaler.scale", 0, 0.0, "scale of a column"),
        ("scaler.shift", 0, f64::NAN, "`scaler.shift` holds NaN"),
        ("table.weights", 0, 1e18, "number of rows"),
        ("table.weights", 0, 0.5, "weight of a row"),
        ("table.cells", 1, 0.5, "not one of the column's values"),
        ("members.weights", 0, 3.0, "adding up to one"),
        ("member.0.weights", 0, 0.4, "adding up to one"),
        ("member.0.component.0.covariance", 0, -1.0, "not positive definite"),
        ("member.0.component.0.table.0", 0, -0.1, "probabilities of a component"),
        ("member.0.prior.strength", 0, 0.0, "strength"),
        ("donors.share", 0, 1.5, "between zero and one"),
        ("donors.column.0.variances", 0, -1.0, "variance of a donor's cell"),
        ("donors.column.0.widths", 0, 0.0, "width of a kernel"),
        ("donors.column.0.shares", 0, 0.9, "adding up to one"),
        ("donors.column.1.positions", 0, 7.0, "outside its column"),
        ("donors.column.1.positions", 0, 0.5, "no position"),
        ("donors.column.1.frequencies", 0, 2.0, "adding up to one"),
        ("donors.column.1.background", 0, 2.0, "between zero and one"),
        ("column.3.values", 0, f64::INFINITY, "finite"),
        ("ties.4.values", 0, 1e9, "increasing"),
    ] {
        let text = error_with(&file, name, |numbers| numbers[at] = value);
        assert!(text.contains(part) && text.contains("not consistent"), "{name}: {text}");
    }
    let psd = apart(&file).0.into_keys().find(|name| name.ends_with(".q")).unwrap();
    let text = error_with(&file, &psd, |numbers| numbers.iter_mut().for_each(|x| *x *= 2.0));
    assert!(text.contains("unit mass"), "{text}");
    let text = error_with(&file, &psd, |numbers| numbers[1] += 1e-3);
    assert!(text.contains("symmetric"), "{text}");
    let text = error_with(&file, &psd, |numbers| numbers.iter_mut().for_each(|x| *x = -*x));
    assert!(text.contains("eigenvalue"), "{text}");
}

#[test]
fn layouts_that_no_model_has_are_told() {
    let (_, file) = small();
    let (tensors, layout) = apart(&file);
    let error = |layout: String| match Model::read(&together(&file, &(tensors.clone(), layout))) {
        Err(Error::ModelFile(error)) => error.to_string(),
        Err(other) => unreachable!("{other}"),
        Ok(_) => unreachable!("it was read"),
    };
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(error(deep).contains("cannot be taken apart"));
    assert!(error(layout.replace("\"seed\"", "\"sead\"")).contains("sead"));
    assert!(error("{}".to_string()).contains("missing field"));
    let more = layout.replace("],\"seed\"", ",{\"name\":\"z\",\"kind\":\"continuous\"}],\"seed\"");
    assert!(error(more).contains("`scaler.shift` has the shape [5], but should have [6]"));
    assert!(error(layout.replace("\"full\"", "\"isotropic\"")).contains("metric"));
    assert!(
        error(layout.replace("\"donors\":true", "\"donors\":false").replace("\"mixture\"", "\"mixtur\""))
            .contains("mixtur")
    );
}

/// Sizes whose sum is no number, and a header longer than the file.
#[test]
fn sizes_that_the_file_does_not_have_are_told() {
    let (_, file) = small();
    let refused = |payload: &[u8]| {
        let error = Model::read(&sealed(&file, payload)).map(|_| ()).unwrap_err();
        assert!(
            matches!(error, Error::ModelFile(ModelFileError::Payload { .. } | ModelFileError::Tensor { .. })),
            "{error}"
        );
    };
    let headed = |header: &str| [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    refused(&[]);
    refused(&u64::MAX.to_le_bytes());
    refused(&100_000_000u64.to_le_bytes());
    let (size, step) = (1u64 << 61, (1u64 << 61) - 1);
    let entry = |k: u64| {
        format!(
            "\"t{k}\":{{\"dtype\":\"U8\",\"shape\":[{step}],\"data_offsets\":[{},{}]}}",
            k * step,
            (k + 1) * step
        )
    };
    refused(&headed(&format!("{{{}}}", (0..8).map(entry).collect::<Vec<_>>().join(","))));
    refused(&headed(&format!("{{\"a\":{{\"dtype\":\"F64\",\"shape\":[{size}],\"data_offsets\":[0,0]}}}}")));
    refused(&headed("{\"a\":{\"dtype\":\"F64\",\"shape\":[0,18446744073709551615],\"data_offsets\":[0,0]}}"));
    refused(&headed(&"[".repeat(1_000_000)));
}
