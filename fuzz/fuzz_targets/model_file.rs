//! A model file is read or refused. If it is read, a small table can be asked to be completed with it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use psd_impute::impute::Limits;
use psd_impute::learn::OneOf;
use psd_impute::model::Model;
use psd_impute_fuzz::{mixed, numbers, sealed};

fuzz_target!(|payload: &[u8]| {
    let Ok((model, _)) = Model::read(&sealed(payload)) else { return };
    let _ = model.report();
    for table in [mixed(), numbers()] {
        if model.columns() != table.columns() {
            continue;
        }
        let limits = || Limits::none(table.columns().len());
        if let Ok(imputer) = model.imputer(limits()) {
            let _ = imputer.complete_with_draws(&table, 1, 1);
            let _ = imputer.complete_with_means(&table);
        }
        if let Ok(Some(refitted)) = model.refitted(1, OneOf { number: 1, of: 2 }) {
            let _ = refitted.imputer(limits()).map(|imputer| imputer.complete_with_draws(&table, 1, 1));
        }
    }
});
