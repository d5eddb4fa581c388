//! Writes the payloads of a few small models to start from.

use psd_impute::learn::{Member, PaperPreset, TheoryPreset};
use psd_impute::model::{FitOptions, Model, Preset};
use psd_impute_fuzz::{mixed, numbers, payload};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/model_file");
    std::fs::create_dir_all(&folder)?;
    let stack = |member: Member| Preset::StackOf(vec![member, Member::Donors]);
    let psd = Member::Psd { anchors: 2, strength: 0.2, scale: 0.4 };
    let mixture = Member::Mixture { components: 2, scale: 0.2 };
    let paper = PaperPreset { anchors: 3, folds: 2, newton_steps: 5, ..Default::default() };
    for (name, table, preset) in [
        ("normal", numbers(), stack(Member::Normal)),
        ("mixture", mixed(), stack(mixture)),
        ("psd", mixed(), stack(psd)),
        ("paper", mixed(), Preset::Paper(paper)),
        ("theory", numbers(), Preset::Theory(TheoryPreset { max_anchors: 4, ..Default::default() })),
    ] {
        let mut file = Vec::new();
        Model::fit(&table, &FitOptions { preset, seed: 0 }, &mut ())?.write("", &mut file)?;
        std::fs::write(folder.join(name), payload(&file))?;
        println!("{name}: {} bytes", file.len());
    }
    Ok(())
}
