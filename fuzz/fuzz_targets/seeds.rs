//! Writes the inputs that fuzzing starts from: payloads of a few small models, and a few small tables.

use psd_impute::learn::psd::MetricKind;
use psd_impute::learn::psd::{PaperPreset, TheoryPreset};
use psd_impute::stack::Member;
use psd_impute::{FitOptions, Model, Recipe, StackOptions};
use psd_impute_fuzz::{mixed, numbers, payload};
use std::error::Error;
use std::path::Path;

const TABLES: [&str; 3] = [
    "id,size,colour,good,when\r\n01,1.50,red,true,2020-01-01\r\n\r\n02,,\"a, b\",NA,\r\n03,2e5,red,false,2020-02-29",
    "a;b;c\n1,5;1.234,5;2020-01-31 12:30:00Z\n?;7;\n2;8,25;2020-01-31T12:30+01:00\n",
    "x\ty\n0\t1,234.5\n1\t-\n\t7\n",
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = |target: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    std::fs::create_dir_all(folder("csv_kinds"))?;
    for (k, table) in TABLES.iter().enumerate() {
        std::fs::write(folder("csv_kinds").join(k.to_string()), table)?;
    }
    let folder = folder("model_file");
    std::fs::create_dir_all(&folder)?;
    let stack = |member: Member| {
        Recipe::Stack(StackOptions { members: Some(vec![member, Member::Donors]), ..Default::default() })
    };
    let psd = Member::Psd { metric: MetricKind::Diagonal, anchors: 2, strength: 0.2, scale: 0.4 };
    let mixture = Member::Mixture { components: 2 };
    let paper = PaperPreset { anchors: 3, folds: 2, newton_steps: 5, ..Default::default() };
    for (name, table, recipe) in [
        ("normal", numbers(), stack(Member::Normal)),
        ("mixture", mixed(), stack(mixture)),
        ("psd", mixed(), stack(psd)),
        ("forest", mixed(), stack(Member::Forest)),
        ("paper", mixed(), Recipe::Paper(paper)),
        ("theory", numbers(), Recipe::Theory(TheoryPreset { max_anchors: 4, ..Default::default() })),
    ] {
        let mut file = Vec::new();
        Model::fit(&table, &FitOptions { recipe, ..Default::default() })?.write("", &mut file)?;
        std::fs::write(folder.join(name), payload(&file))?;
        println!("{name}: {} bytes", file.len());
    }
    Ok(())
}
