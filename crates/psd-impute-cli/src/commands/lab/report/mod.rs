//! `psd-impute lab report`: the figures and tables of a study, from its records.

mod bars;
mod page;
mod speed;
mod summary;

use super::records;
use crate::commands::Failure;
use crate::io::{Holds, check_output};
use crate::plot::Scene;
use crate::toys::TOYS;
use clap::Args;
use psd_impute_frame::write_file;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use summary::{Measure, Section, sections};

/// Pixels of a PNG per pixel of the figure.
const PIXELS: f64 = 1.5;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Report {
    /// The records that `psd-impute lab run` wrote; those of several files are taken together.
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// The page to write, in Markdown. Figures go into a folder of its name without `.md`, as SVG and PNG.
    #[arg(short, long, value_name = "FILE", default_value = "results.md")]
    output: PathBuf,
}

impl Report {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let read: Vec<&Path> = self.records.iter().map(PathBuf::as_path).collect();
        check_output(&self.output, Holds::Markdown, &read)?;
        let mut all = Vec::new();
        for path in &self.records {
            all.extend(records::read(path)?);
        }
        let sections = sections(&all);
        if sections.is_empty() {
            return Err(Failure::NoRecords { path: self.records[0].clone() });
        }
        let figures = self.figures(&sections)?;
        let command = format!(
            "psd-impute lab report {} -o {}",
            self.records.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" "),
            self.output.display()
        );
        write_file(&self.output, page::write(&command, &all, &sections, &figures).as_bytes())?;
        eprintln!("wrote {} and {} figures", self.output.display(), figures.len());
        Ok(ExitCode::SUCCESS)
    }

    /// Draws and writes every figure.
    fn figures(&self, sections: &[Section]) -> Result<Vec<page::Figure>, Failure> {
        let folder = self.output.with_extension("");
        std::fs::create_dir_all(&folder).map_err(Failure::of_file(&folder))?;
        let mut figures = Vec::new();
        let mut put = |name: String, title: String, scene: Scene| -> Result<(), Failure> {
            write_file(&folder.join(format!("{name}.svg")), scene.svg().as_bytes())?;
            write_file(&folder.join(format!("{name}.png")), &scene.png(PIXELS)?)?;
            let stem = folder.file_name().unwrap_or_default().to_string_lossy();
            figures.push(page::Figure { path: format!("{stem}/{name}.svg"), title });
            Ok(())
        };
        for section in sections {
            for measure in Measure::MAIN {
                if let Some(scene) = bars::draw(section, measure) {
                    put(format!("{}-{}", measure.name(), section.name()), measure.title(section), scene)?;
                }
            }
            if let Some(scene) = speed::draw(section) {
                put(format!("time-{}", section.name()), speed::title(section), scene)?;
            }
        }
        for toy in TOYS.iter().filter(|toy| sections.iter().any(|section| section.has(toy.name))) {
            let (_, scene) = toy.run(0)?;
            put(
                format!("toy-{}", toy.name),
                format!("{}: table, anchors, density, draws", toy.title),
                scene,
            )?;
        }
        Ok(figures)
    }
}
