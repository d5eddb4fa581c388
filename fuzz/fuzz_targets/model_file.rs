//! A model file is read or refused. If it is read, a small table can be asked to be completed with it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use psd_impute::impute::Limits;
use psd_impute::model::Model;
use psd_impute::table::RowCounter;
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
        if let Ok(all) = model.imputations(2, 1, false, limits()) {
            let _ = all.nth(1).map(|draws| draws.complete(&table, &mut RowCounter::default()));
        }
    }
});
