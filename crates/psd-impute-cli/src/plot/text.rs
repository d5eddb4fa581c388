//! Text as outlines.

use super::{Point, Step};
use ttf_parser::{Face, OutlineBuilder};

static REGULAR: &[u8] = include_bytes!("fonts/Roboto-Regular.ttf");
static BOLD: &[u8] = include_bytes!("fonts/Roboto-Bold.ttf");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// The part of the text placed at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Start,
    Middle,
    End,
}

/// The outline of a line of text with its baseline through `at`, and its width. A character that the font lacks is left out.
pub(super) fn outline(at: Point, size: f64, weight: Weight, align: Align, text: &str) -> (Vec<Step>, f64) {
    let data = if weight == Weight::Bold { BOLD } else { REGULAR };
    let face = Face::parse(data, 0).unwrap_or_else(|error| unreachable!("a bundled font: {error}"));
    let scale = size / f64::from(face.units_per_em());
    let glyphs: Vec<_> = text.chars().filter_map(|c| face.glyph_index(c)).collect();
    let advance = |glyph| scale * f64::from(face.glyph_hor_advance(glyph).unwrap_or(0));
    let width: f64 = glyphs.iter().map(|&glyph| advance(glyph)).sum();
    let shift = match align {
        Align::Start => 0.0,
        Align::Middle => 0.5 * width,
        Align::End => width,
    };
    let mut pen = Pen { steps: Vec::new(), origin: (at.0 - shift, at.1), scale };
    for glyph in glyphs {
        face.outline_glyph(glyph, &mut pen);
        pen.origin.0 += advance(glyph);
    }
    (pen.steps, width)
}

struct Pen {
    steps: Vec<Step>,
    origin: Point,
    scale: f64,
}

impl Pen {
    /// Font coordinates point upwards.
    fn place(&self, x: f32, y: f32) -> Point {
        (self.origin.0 + self.scale * f64::from(x), self.origin.1 - self.scale * f64::from(y))
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.steps.push(Step::Move(self.place(x, y)));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.steps.push(Step::Line(self.place(x, y)));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.steps.push(Step::Quad(self.place(x1, y1), self.place(x, y)));
    }

    /// The bundled fonts have quadratic curves only.
    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, x: f32, y: f32) {
        self.line_to(x, y);
    }

    fn close(&mut self) {
        self.steps.push(Step::Close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_figures_use_has_an_outline() {
        for weight in [Weight::Regular, Weight::Bold] {
            for c in ('!'..='~').chain(['−', '×', '·', '–']) {
                let (steps, width) = outline((0.0, 0.0), 10.0, weight, Align::Start, &c.to_string());
                assert!(!steps.is_empty() && width > 0.0, "{c}");
            }
        }
    }

    #[test]
    fn the_end_stands_at_the_point() {
        let right = |steps: &[Step]| {
            let xs = steps.iter().filter_map(|step| match step {
                Step::Move(p) | Step::Line(p) | Step::Quad(_, p) => Some(p.0),
                Step::Close => None,
            });
            xs.fold(f64::NEG_INFINITY, f64::max)
        };
        let (steps, width) = outline((50.0, 0.0), 10.0, Weight::Regular, Align::End, "end");
        assert!(right(&steps) <= 50.0 && right(&steps) > 48.0 && width > 10.0);
    }
}
