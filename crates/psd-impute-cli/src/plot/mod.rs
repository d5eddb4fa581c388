//! Pictures. A [`Scene`] is built once, of filled paths, lines and dots, and written as SVG and as PNG; text is outlined with the fonts in
//! `fonts/`, so that both look the same on a machine without fonts.

mod braille;
mod contour;
mod panel;
mod png;
mod svg;
mod text;

pub(crate) use braille::scatter;
pub(crate) use contour::{Grid, superlevel};
pub(crate) use panel::{Frame, Panel, polygon, ticks};
pub(crate) use text::{Align, Weight};

use crate::commands::Failure;

/// Red, green, blue.
pub(crate) type Colour = [u8; 3];

/// From Okabe and Ito's palette, which colour-blind readers can distinguish.
pub(crate) const BLUE: Colour = [0, 114, 178];
pub(crate) const VERMILLION: Colour = [213, 94, 0];
pub(crate) const GREEN: Colour = [0, 158, 115];
pub(crate) const INK: Colour = [34, 38, 46];
pub(crate) const GREY: Colour = [120, 126, 136];
pub(crate) const PALE: Colour = [225, 228, 233];
pub(crate) const WHITE: Colour = [255, 255, 255];

/// From almost white to deep blue, evenly darker; `t` is between 0 and 1.
pub(crate) fn shade(t: f64) -> Colour {
    const STOPS: [[f64; 3]; 6] = [
        [237.0, 244.0, 250.0],
        [190.0, 216.0, 236.0],
        [119.0, 176.0, 215.0],
        [48.0, 129.0, 188.0],
        [14.0, 80.0, 147.0],
        [8.0, 36.0, 84.0],
    ];
    let at = t.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let k = (at as usize).min(STOPS.len() - 2);
    std::array::from_fn(|c| (STOPS[k][c] + (at - k as f64) * (STOPS[k + 1][c] - STOPS[k][c])).round() as u8)
}

/// A point of the picture, in pixels from the upper left corner.
pub(crate) type Point = (f64, f64);

/// A piece of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    Move(Point),
    Line(Point),
    Quad(Point, Point),
    Close,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ink {
    Fill,
    Line(f64),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    /// An outline, filled by the even-odd rule or drawn with a width.
    Path { steps: Vec<Step>, ink: Ink, colour: Colour, opacity: f64 },
    /// Discs of one size, darker where they overlap.
    Dots { centres: Vec<Point>, radius: f64, colour: Colour, opacity: f64 },
}

/// A picture.
pub(crate) struct Scene {
    pub(crate) title: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) items: Vec<Item>,
}

impl Scene {
    pub(crate) fn new(title: &str, width: u32, height: u32) -> Self {
        Self { title: title.to_string(), width, height, items: Vec::new() }
    }

    pub(crate) fn fill(&mut self, steps: Vec<Step>, colour: Colour) {
        self.items.push(Item::Path { steps, ink: Ink::Fill, colour, opacity: 1.0 });
    }

    pub(crate) fn line(&mut self, steps: Vec<Step>, width: f64, colour: Colour, opacity: f64) {
        self.items.push(Item::Path { steps, ink: Ink::Line(width), colour, opacity });
    }

    pub(crate) fn dots(&mut self, centres: Vec<Point>, radius: f64, colour: Colour, opacity: f64) {
        self.items.push(Item::Dots { centres, radius, colour, opacity });
    }

    /// Draws text at a point of its baseline; returns its width.
    pub(crate) fn text(
        &mut self,
        at: Point,
        size: f64,
        weight: Weight,
        align: Align,
        colour: Colour,
        text: &str,
    ) -> f64 {
        let (steps, width) = text::outline(at, size, weight, align, text);
        self.fill(steps, colour);
        width
    }

    pub(crate) fn svg(&self) -> String {
        svg::write(self)
    }

    /// The PNG with `scale` pixels per pixel of the picture.
    pub(crate) fn png(&self, scale: f64) -> Result<Vec<u8>, Failure> {
        png::write(self, scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_grow_darker() {
        let light = |t| shade(t).iter().map(|&x| u32::from(x)).sum::<u32>();
        assert!((0..20).all(|k| light(f64::from(k) / 20.0) > light(f64::from(k + 1) / 20.0)));
    }
}
