//! Fills the missing cells of an Arrow array of any type.

use crate::dictionary::fill_dictionary;
use crate::error::{Error, Result};
use crate::plan::{ColumnPlan, Kind};
use crate::text::{TimeUnit, within_day};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, LargeStringArray, UInt64Array,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use arrow_select::zip::zip;
use std::sync::Arc;

pub(crate) type Arrow<T> = std::result::Result<T, ArrowError>;

/// Fills `gaps` into the array, where cells were missing. The type stays.
pub(crate) fn fill(array: &ArrayRef, column: &ColumnPlan, gaps: &[Option<f64>]) -> Result<ArrayRef> {
    if let DataType::Dictionary(_, values) = array.data_type() {
        if !column.kind().labels().is_empty() {
            return fill_dictionary(array, column, gaps);
        }
        let plain = fill(&cast(array, values).map_err(unwritable)?, column, gaps)?;
        return cast(&plain, array.data_type()).map_err(unwritable);
    }
    let mask: BooleanArray = gaps.iter().map(|gap| Some(gap.is_some())).collect();
    let filled = cells(column.kind(), array.data_type(), gaps).and_then(|cells| zip(&mask, &cells, array));
    filled.map_err(unwritable)
}

pub(crate) fn unwritable(error: ArrowError) -> Error {
    Error::Unwritable { format: "Arrow data", problem: error.to_string() }
}

/// The engine's cells as an array of a type; null where there is none. Numbers outside the type's range are clamped.
pub(crate) fn cells(kind: &Kind, to: &DataType, gaps: &[Option<f64>]) -> Arrow<ArrayRef> {
    let numbers = || gaps.iter().map(|gap| gap.map(|x| kind.rounded(x)));
    let array: ArrayRef = match kind {
        _ if is_text(to) => {
            Arc::new(gaps.iter().map(|gap| gap.map(|x| kind.show(x))).collect::<LargeStringArray>())
        }
        Kind::Time { .. } if to.is_numeric() => {
            // Dates in digits.
            let digits = |x| kind.show(x).parse::<f64>().ok();
            Arc::new(gaps.iter().map(|gap| gap.and_then(digits)).collect::<Float64Array>())
        }
        Kind::Labels { .. } | Kind::Text => {
            Arc::new(gaps.iter().map(|gap| gap.map(|x| kind.show(x))).collect::<LargeStringArray>())
        }
        Kind::Boolean { .. } => {
            Arc::new(gaps.iter().map(|gap| gap.map(|x| x >= 0.5)).collect::<BooleanArray>())
        }
        Kind::Time { unit, .. } | Kind::Duration { unit, .. } => {
            return times(to, gaps.iter().map(|gap| gap.map(|x| unit.time(x))));
        }
        Kind::Clock { unit, .. } => {
            return times(to, gaps.iter().map(|gap| gap.map(|x| within_day(x, *unit))));
        }
        Kind::Number { .. } | Kind::Codes { .. } | Kind::Levels { .. } if to.is_unsigned_integer() => {
            let high = unsigned_end(to);
            Arc::new(numbers().map(|x| x.map(|x| (x.round() as u64).min(high))).collect::<UInt64Array>())
        }
        Kind::Number { .. } | Kind::Codes { .. } | Kind::Levels { .. } if to.is_signed_integer() => {
            let (low, high) = signed_ends(to);
            Arc::new(
                numbers().map(|x| x.map(|x| (x.round() as i64).clamp(low, high))).collect::<Int64Array>(),
            )
        }
        Kind::Number { .. } | Kind::Codes { .. } | Kind::Levels { .. } => {
            let end = largest(to);
            Arc::new(numbers().map(|x| x.map(|x| x.clamp(-end, end))).collect::<Float64Array>())
        }
    };
    cast(&array, to)
}

fn is_text(to: &DataType) -> bool {
    matches!(to, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

pub(crate) fn unsigned_end(to: &DataType) -> u64 {
    match to {
        DataType::UInt8 => u64::from(u8::MAX),
        DataType::UInt16 => u64::from(u16::MAX),
        DataType::UInt32 => u64::from(u32::MAX),
        _ => u64::MAX,
    }
}

pub(crate) fn signed_ends(to: &DataType) -> (i64, i64) {
    match to {
        DataType::Int8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        DataType::Int16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        DataType::Int32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

/// The largest number of a type other than integers. For decimals it is a little less, so that rounding stays below it.
pub(crate) fn largest(to: &DataType) -> f64 {
    match to {
        DataType::Float16 => 65504.0,
        DataType::Float32 => f64::from(f32::MAX),
        DataType::Decimal32(digits, scale)
        | DataType::Decimal64(digits, scale)
        | DataType::Decimal128(digits, scale)
        | DataType::Decimal256(digits, scale) => {
            let unit = 10f64.powi(-i32::from(*scale));
            let most = 10f64.powi(i32::from(*digits)) - 1.0;
            most * unit * (1.0 - if *digits > 15 { 1e-15 } else { 0.0 })
        }
        _ => f64::MAX,
    }
}

/// Nanoseconds as an array of a type that counts time.
fn times(to: &DataType, times: impl Iterator<Item = Option<i128>>) -> Arrow<ArrayRef> {
    let target = match to {
        DataType::Date32 => TimeUnit::Day,
        DataType::Date64 => TimeUnit::Millisecond,
        DataType::Timestamp(unit, _)
        | DataType::Time32(unit)
        | DataType::Time64(unit)
        | DataType::Duration(unit) => TimeUnit::from(*unit),
        _ => return Err(ArrowError::CastError(format!("times cannot be written as {to}"))),
    };
    let counts = times.map(|time| time.map(|time| time.div_euclid(target.nanoseconds())));
    if matches!(to, DataType::Date32 | DataType::Time32(_)) {
        let narrow = counts.map(|c| c.map(|c| c.clamp(i32::MIN.into(), i32::MAX.into()) as i32));
        return cast(&narrow.collect::<Int32Array>(), to);
    }
    let counts = counts.map(|c| c.map(|c| c.clamp(i64::MIN.into(), i64::MAX.into()) as i64));
    cast(&counts.collect::<Int64Array>(), to)
}
