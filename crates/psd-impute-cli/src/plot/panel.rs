//! A panel: a frame with axes on a part of the picture.

use super::{Align, Colour, GREY, INK, PALE, Point, Scene, Step, WHITE, Weight};

/// The plotted region: an interval of each axis, with its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub(crate) x: (f64, f64),
    pub(crate) y: (f64, f64),
    pub(crate) names: (&'static str, &'static str),
}

/// The position in the picture: a corner, a width and a height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Panel {
    pub(crate) frame: Frame,
    pub(crate) corner: Point,
    pub(crate) size: (f64, f64),
}

impl Panel {
    /// The picture coordinates of a point of the frame.
    pub(crate) fn place(&self, x: f64, y: f64) -> Point {
        let share = |x: f64, (lo, hi): (f64, f64)| (x - lo) / (hi - lo);
        (
            self.corner.0 + self.size.0 * share(x, self.frame.x),
            self.corner.1 + self.size.1 * (1.0 - share(y, self.frame.y)),
        )
    }

    /// The picture coordinates of the points within the frame.
    pub(crate) fn within(&self, points: impl Iterator<Item = Point>) -> Vec<Point> {
        let inside = |x: f64, (lo, hi): (f64, f64)| x >= lo && x <= hi;
        points
            .filter(|&(x, y)| inside(x, self.frame.x) && inside(y, self.frame.y))
            .map(|(x, y)| self.place(x, y))
            .collect()
    }

    /// The four sides.
    pub(crate) fn outline(&self) -> Vec<Step> {
        let ((x, y), (w, h)) = (self.corner, self.size);
        polygon(&[(x, y), (x + w, y), (x + w, y + h), (x, y + h)])
    }

    /// Draws background, frame, ticks, names; call before anything is drawn into the panel.
    pub(crate) fn axes(&self, scene: &mut Scene) {
        let ((left, top), (w, h)) = (self.corner, self.size);
        let (right, bottom) = (left + w, top + h);
        scene.fill(self.outline(), WHITE);
        let number = |x: f64| format!("{x}").replace('-', "−");
        for x in ticks(self.frame.x) {
            let at = self.place(x, self.frame.y.0).0;
            scene.line(vec![Step::Move((at, top)), Step::Line((at, bottom))], 0.7, PALE, 1.0);
            scene.text((at, bottom + 15.0), 11.0, Weight::Regular, Align::Middle, GREY, &number(x));
        }
        for y in ticks(self.frame.y) {
            let at = self.place(self.frame.x.0, y).1;
            scene.line(vec![Step::Move((left, at)), Step::Line((right, at))], 0.7, PALE, 1.0);
            scene.text((left - 6.0, at + 4.0), 11.0, Weight::Regular, Align::End, GREY, &number(y));
        }
        let names = self.frame.names;
        scene.text((left + 0.5 * w, bottom + 29.0), 12.0, Weight::Regular, Align::Middle, INK, names.0);
        scene.text((left - 28.0, top + 0.5 * h + 4.0), 12.0, Weight::Regular, Align::Middle, INK, names.1);
    }

    /// Draws the frame's line; call after everything is drawn.
    pub(crate) fn close(&self, scene: &mut Scene) {
        scene.line(self.outline(), 1.0, GREY, 1.0);
    }

    /// Draws a title and, below it, the legend of colours.
    pub(crate) fn caption(&self, scene: &mut Scene, title: &str, legend: &[(Colour, &str)]) {
        let (left, top) = self.corner;
        scene.text((left, top - 24.0), 14.0, Weight::Bold, Align::Start, INK, title);
        let mut x = left;
        for (colour, text) in legend {
            scene.dots(vec![(x + 4.0, top - 11.0)], 3.5, *colour, 1.0);
            x += 12.0;
            x += scene.text((x, top - 7.0), 11.5, Weight::Regular, Align::Start, INK, text) + 12.0;
        }
    }
}

/// Round numbers within an interval, seven at most: steps are one, two or five times a power of ten.
pub(crate) fn ticks((lo, hi): (f64, f64)) -> Vec<f64> {
    let power = 10f64.powf(((hi - lo) / 7.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let step = steps.into_iter().find(|step| (hi - lo) / step < 7.0).unwrap_or(hi - lo);
    let (first, last) = ((lo / step).ceil() as i64, (hi / step).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A closed outline through points.
pub(crate) fn polygon(points: &[Point]) -> Vec<Step> {
    let Some((&first, rest)) = points.split_first() else { return Vec::new() };
    let lines = rest.iter().map(|&p| Step::Line(p));
    [Step::Move(first)].into_iter().chain(lines).chain([Step::Close]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_and_within() {
        assert_eq!(ticks((-1.4, 1.4)), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(ticks((-2.5, 2.5)), [-2.0, -1.0, 0.0, 1.0, 2.0]);
        assert_eq!(ticks((0.0, 4.0e-3)), [0.0, 1.0e-3, 2.0e-3, 3.0e-3, 4.0e-3]);
    }

    #[test]
    fn up_is_up() {
        let frame = Frame { x: (0.0, 2.0), y: (0.0, 1.0), names: ("x", "y") };
        let panel = Panel { frame, corner: (10.0, 20.0), size: (200.0, 100.0) };
        assert_eq!(panel.place(0.0, 0.0), (10.0, 120.0));
        assert_eq!(panel.place(2.0, 1.0), (210.0, 20.0));
        assert_eq!(panel.within([(1.0, 0.5), (3.0, 0.5)].into_iter()), [(110.0, 70.0)]);
    }
}
