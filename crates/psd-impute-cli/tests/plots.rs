//! The paper's toys, learned and drawn as a user runs it.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output};

const TOYS: [&str; 3] = ["two-moons", "rings", "cylinder"];

fn draw(directory: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_psd-impute")).args(["demo", "--plots"]).arg(directory).output().unwrap()
}

#[test]
fn toys_are_learned_from_gaps_almost_as_well_as_from_complete_rows() {
    let folder = tempfile::tempdir().unwrap();
    let plots = folder.path().join("made").join("here");
    let output = draw(&plots);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    for toy in TOYS {
        let line = printed.lines().find(|line| line.trim_start().starts_with(toy)).unwrap();
        let numbers: Vec<f64> = line.split_whitespace().skip(1).map(|x| x.parse().unwrap()).collect();
        let [with_gaps, complete, truth] = numbers[..] else { unreachable!("{line}") };
        assert!((complete - with_gaps).abs() < 0.15, "{line}");
        // No fit beats the truth except by chance.
        assert!(complete < truth + 0.02 && complete > truth - 0.2, "{line}");
        looks_like_svg(&std::fs::read_to_string(plots.join(format!("{toy}.svg"))).unwrap());
        looks_like_png(&std::fs::read(plots.join(format!("{toy}.png"))).unwrap());
    }
    assert_eq!(std::fs::read_dir(&plots).unwrap().count(), 2 * TOYS.len(), "temporary files are gone");
}

fn looks_like_svg(text: &str) {
    assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\""));
    assert!(text.ends_with("</svg>\n"));
    assert!(!text.contains("NaN") && !text.contains("inf"));
    let opened = text.matches("<g ").count();
    assert!(opened > 6 && opened == text.matches("</g>").count());
    for colour in ["#0072b2", "#d55e00", "#009e73"] {
        assert!(text.contains(colour), "{colour}");
    }
}

/// Twice as wide as the SVG, decodes, and has paper and colours.
fn looks_like_png(bytes: &[u8]) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let picture = tiny_skia::Pixmap::decode_png(bytes).unwrap();
    assert_eq!(picture.width(), 2000);
    assert!((1000..4000).contains(&picture.height()));
    let pixels = picture.pixels();
    let blue = pixels.iter().filter(|p| p.blue() > p.red().saturating_add(60)).count();
    let red = pixels.iter().filter(|p| p.red() > p.blue().saturating_add(60)).count();
    let white = pixels.iter().filter(|p| (p.red(), p.green(), p.blue()) == (255, 255, 255)).count();
    // The title: dark pixels between the upper edge and the panels.
    let title = pixels[..2000 * 70].iter().filter(|p| p.red() < 60 && p.blue() < 70).count();
    assert!(blue > 5000 && red > 5000 && white > pixels.len() / 2 && title > 1000);
}

#[test]
fn a_folder_that_cannot_be_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let output = draw(&file.path().join("plots"));
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: ") && message.contains("plots: "), "{message}");
}
