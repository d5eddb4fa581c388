//! A toy's figure: the observed table, the anchors before and after, the learned density, and draws beside the truth.

use super::{Learned, Numbers, Toy, frame, missing};
use crate::commands::Failure;
use crate::plot::{
    Align, BLUE, Colour, Frame, GREEN, GREY, Grid, INK, PALE, Panel, Point, Scene, Step, VERMILLION, Weight,
    polygon, shade, superlevel,
};
use faer::MatRef;
use psd_impute::density::Density;
use psd_impute::table::Table;

const WIDTH: f64 = 1000.0;
const COLUMNS: usize = 3;
/// Space for a panel's ticks and names on the left, its captions above and its ticks below, and for the figure's title.
const LEFT: f64 = 50.0;
const ABOVE: f64 = 46.0;
const BELOW: f64 = 40.0;
const HEAD: f64 = 66.0;
/// The side of a panel.
const SIDE: f64 = WIDTH / COLUMNS as f64 - LEFT - 12.0;

/// The content of a figure.
pub(crate) struct Figure<'a> {
    pub(crate) toy: &'a Toy,
    pub(crate) truth: &'a Table,
    pub(crate) table: &'a Table,
    pub(crate) learned: &'a Learned,
    pub(crate) completed: &'a Table,
    pub(crate) drawn: &'a Table,
    pub(crate) numbers: Numbers,
}

impl Figure<'_> {
    /// Draws the figure.
    pub(crate) fn draw(&self) -> Result<Scene, Failure> {
        let d = self.table.columns().len();
        let (rows, ratio) = if d > 2 { (4, 1.0) } else { (2, height(frame(self.toy.shape, 0, 1))) };
        let height = HEAD + rows as f64 * (ABOVE + ratio * SIDE + BELOW) + if d > 2 { 0.0 } else { 4.0 };
        let mut scene = Scene::new(self.toy.title, WIDTH as u32, height.round() as u32);
        self.head(&mut scene);
        let panel = |row: usize, column: usize, frame: Frame| {
            let x = LEFT + column as f64 * WIDTH / COLUMNS as f64;
            let y = HEAD + ABOVE + row as f64 * (ABOVE + ratio * SIDE + BELOW);
            Panel { frame, corner: (x, y), size: (SIDE, ratio * SIDE) }
        };
        if d == 2 {
            let frame = frame(self.toy.shape, 0, 1);
            self.seen(&mut scene, &panel(0, 0, frame), (0, 1));
            self.anchors(&mut scene, &panel(0, 1, frame), (0, 1));
            self.density(&mut scene, &panel(0, 2, frame), (0, 1))?;
            for (column, (title, points)) in self.clouds().into_iter().enumerate() {
                self.flat(&mut scene, &panel(1, column, frame), title, points);
            }
        } else {
            for (column, pair) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
                let frame = frame(self.toy.shape, pair.0, pair.1);
                self.seen(&mut scene, &panel(0, column, frame), pair);
                self.anchors(&mut scene, &panel(1, column, frame), pair);
                self.density(&mut scene, &panel(2, column, frame), pair)?;
            }
            for (column, (title, points)) in self.clouds().into_iter().enumerate() {
                self.solid(&mut scene, &panel(3, column, frame(self.toy.shape, 0, 1)), title, points);
            }
        }
        Ok(scene)
    }

    fn head(&self, scene: &mut Scene) {
        let (n, d) = (self.table.len(), self.table.columns().len());
        let share = 100.0 * missing(self.table) as f64 / (n * d) as f64;
        let title = format!("{}: {n} rows, {share:.0} % of the cells missing", self.toy.title);
        let number = |x: f64| format!("{x:.2}").replace('-', "−");
        let Numbers { with_gaps, complete, truth } = self.numbers;
        let below = format!(
            "Log-likelihood of fresh complete rows, nats per row: {} learned from the table with gaps, {} from complete rows, {} the true density.",
            number(with_gaps),
            number(complete),
            number(truth)
        );
        scene.text((LEFT, 32.0), 21.0, Weight::Bold, Align::Start, INK, &title);
        scene.text((LEFT, 53.0), 13.0, Weight::Regular, Align::Start, GREY, &below);
    }

    /// Draws rows with both columns observed, and at the axes those with only one.
    fn seen(&self, scene: &mut Scene, panel: &Panel, (a, b): (usize, usize)) {
        panel.axes(scene);
        let cells = || self.table.rows().map(move |row| (row[a], row[b]));
        let mut rug = Vec::new();
        let (left, bottom) = (panel.corner.0, panel.corner.1 + panel.size.1);
        for (x, y) in cells() {
            if y.is_nan() && !x.is_nan() {
                let at = panel.place(x, 0.0).0;
                rug.extend([Step::Move((at, bottom)), Step::Line((at, bottom - 8.0))]);
            } else if x.is_nan() && !y.is_nan() {
                let at = panel.place(0.0, y).1;
                rug.extend([Step::Move((left, at)), Step::Line((left + 8.0, at))]);
            }
        }
        scene.line(rug, 0.7, GREEN, 0.3);
        let both = panel.within(cells().filter(|(x, y)| !x.is_nan() && !y.is_nan()));
        let count = both.len();
        scene.dots(both, 1.7, BLUE, 0.55);
        panel.close(scene);
        let names = panel.frame.names;
        let both = format!("{count} rows with {} and {}", names.0, names.1);
        panel.caption(scene, "What is seen", &[(BLUE, &both), (GREEN, "with one of them")]);
    }

    fn anchors(&self, scene: &mut Scene, panel: &Panel, (a, b): (usize, usize)) {
        panel.axes(scene);
        let points =
            |m: MatRef<'_, f64>| -> Vec<Point> { (0..m.ncols()).map(|k| (m[(a, k)], m[(b, k)])).collect() };
        let (before, after) = (points(self.learned.before.as_ref()), points(self.learned.after.as_ref()));
        let inside = |p: &Point| !panel.within([*p].into_iter()).is_empty();
        let mut moves = Vec::new();
        for (from, to) in before.iter().zip(&after).filter(|(from, to)| inside(from) && inside(to)) {
            moves.extend([Step::Move(panel.place(from.0, from.1)), Step::Line(panel.place(to.0, to.1))]);
        }
        scene.line(moves, 1.0, GREY, 0.6);
        scene.dots(panel.within(before.into_iter()), 3.0, GREY, 0.75);
        scene.dots(panel.within(after.into_iter()), 3.4, VERMILLION, 0.9);
        panel.close(scene);
        panel.caption(scene, "Anchors", &[(GREY, "on an imputed copy"), (VERMILLION, "learned")]);
    }

    /// Draws the marginal density of two columns, as filled contours.
    fn density(&self, scene: &mut Scene, panel: &Panel, (a, b): (usize, usize)) -> Result<(), Failure> {
        let (values, fine) = self.marginal(panel.frame, (a, b))?;
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let high = sorted[sorted.len() * 995 / 1000];
        let grid = Grid::new(fine, fine, &values);
        panel.axes(scene);
        for k in 0..LEVELS {
            let t = (k as f64 + 0.6) / LEVELS as f64;
            let (w, h) = (panel.size.0 / (fine - 1) as f64, panel.size.1 / (fine - 1) as f64);
            let place = |&(i, j): &Point| {
                let inner = |x: f64| x.clamp(0.0, (fine - 1) as f64);
                (panel.corner.0 + inner(i) * w, panel.corner.1 + inner(j) * h)
            };
            let outlines = superlevel(&grid, high * t.powf(1.4));
            let steps = outlines.iter().flat_map(|o| polygon(&o.iter().map(place).collect::<Vec<_>>()));
            scene.fill(steps.collect(), shade(t));
        }
        panel.close(scene);
        let names = panel.frame.names;
        let what = if self.table.columns().len() > 2 {
            format!("of {} and {}, darker is higher", names.0, names.1)
        } else {
            "darker is higher".to_string()
        };
        panel.caption(scene, "Learned density", &[(shade(0.75), &what)]);
        Ok(())
    }

    /// Evaluates it on a square grid over the frame, from the upper left corner on.
    fn marginal(&self, frame: Frame, (a, b): (usize, usize)) -> Result<(Vec<f64>, usize), Failure> {
        let fine = 121;
        let d = self.table.columns().len();
        let along = |k: usize, (lo, hi): (f64, f64)| lo + (hi - lo) * k as f64 / (fine - 1) as f64;
        let rows: Vec<Vec<f64>> = (0..fine * fine)
            .map(|k| {
                let mut row = vec![f64::NAN; d];
                row[a] = along(k % fine, frame.x);
                row[b] = along(fine - 1 - k / fine, frame.y);
                row
            })
            .collect();
        let grid = Table::continuous(self.toy.shape.columns(), &rows)?;
        let logs = self.learned.density.log_marginals(&self.learned.scaler.standardise(&grid))?;
        Ok((logs.iter().map(|log| log.exp()).collect(), fine))
    }

    /// The truth, the completed table and new rows; each a title and the rows by colour.
    fn clouds(&self) -> [(&'static str, Cloud<'_>); 3] {
        let gap = |i: &usize| self.table.row(*i).iter().any(|x| x.is_nan());
        let all = |table: &Table, keep: &dyn Fn(&usize) -> bool| -> Vec<Vec<f64>> {
            (0..table.len()).filter(keep).map(|i| table.row(i).to_vec()).collect()
        };
        let complete = all(self.completed, &|i| !gap(i));
        let filled = all(self.completed, &gap);
        let mut rows = vec![(VERMILLION, "completed by draws", filled)];
        if !complete.is_empty() {
            rows.insert(0, (BLUE, "complete rows", complete));
        }
        [
            ("The truth", vec![(BLUE, "rows before cells were taken", all(self.truth, &|_| true))]),
            ("The completed table", rows),
            ("New rows", vec![(VERMILLION, "drawn from the density", all(self.drawn, &|_| true))]),
        ]
    }

    fn flat(&self, scene: &mut Scene, panel: &Panel, title: &str, cloud: Cloud<'_>) {
        panel.axes(scene);
        for (colour, _, rows) in &cloud {
            scene.dots(panel.within(rows.iter().map(|row| (row[0], row[1]))), 1.7, *colour, 0.5);
        }
        panel.close(scene);
        panel.caption(scene, title, &legend(&cloud));
    }

    /// A view of three columns from above; nearer points are larger and darker.
    fn solid(&self, scene: &mut Scene, panel: &Panel, title: &str, cloud: Cloud<'_>) {
        let frame = panel.frame;
        let half = 0.45 * (frame.x.1 - frame.x.0);
        let (turn, tilt) = (-0.6f64, 0.45f64);
        let view = |p: [f64; 3]| {
            let (x, y) = (p[0] * turn.cos() - p[1] * turn.sin(), p[0] * turn.sin() + p[1] * turn.cos());
            let (up, near) = (p[2] * tilt.cos() + y * tilt.sin(), p[2] * tilt.sin() - y * tilt.cos());
            let zoom = 0.5 * panel.size.0 / (1.62 * half);
            let centre = (panel.corner.0 + 0.5 * panel.size.0, panel.corner.1 + 0.5 * panel.size.1);
            ((centre.0 + zoom * x, centre.1 - zoom * up), near / half)
        };
        self.cage(scene, half, &view);
        for (colour, _, rows) in &cloud {
            let inside = rows.iter().filter(|row| row.iter().all(|x| x.abs() <= half));
            let mut points: Vec<(Point, f64)> = inside.map(|row| view([row[0], row[1], row[2]])).collect();
            points.sort_by(|a, b| a.1.total_cmp(&b.1));
            for layer in points.chunks(points.len().div_ceil(4).max(1)) {
                let near = layer.iter().map(|p| p.1).sum::<f64>() / layer.len() as f64;
                let t = (0.5 + 0.6 * near).clamp(0.0, 1.0);
                scene.dots(layer.iter().map(|p| p.0).collect(), 1.3 + 0.7 * t, *colour, 0.25 + 0.45 * t);
            }
        }
        panel.caption(scene, title, &legend(&cloud));
    }

    /// Draws the edges of the cube, and the names of its axes.
    fn cage(&self, scene: &mut Scene, half: f64, view: &dyn Fn([f64; 3]) -> (Point, f64)) {
        let corner = |k: usize| [0, 1, 2].map(|j| if k >> j & 1 == 1 { half } else { -half });
        let mut edges = Vec::new();
        for k in 0..8usize {
            for j in (0..3).filter(|j| k >> j & 1 == 0) {
                edges.extend([Step::Move(view(corner(k)).0), Step::Line(view(corner(k | 1 << j)).0)]);
            }
        }
        scene.line(edges, 0.8, PALE, 1.0);
        let far = 1.15 * half;
        let z = view([-half, -half, 0.0]).0;
        for (name, at) in
            [("x", view([0.0, -far, -half]).0), ("y", view([far, 0.0, -half]).0), ("z", (z.0 - 9.0, z.1))]
        {
            scene.text((at.0, at.1 + 4.0), 12.0, Weight::Regular, Align::Middle, INK, name);
        }
    }
}

/// The height of a panel with the same scale on both axes, in widths.
fn height(frame: Frame) -> f64 {
    (frame.y.1 - frame.y.0) / (frame.x.1 - frame.x.0)
}

/// The number of filled contours.
const LEVELS: usize = 14;

/// Rows by colour, each with its legend.
type Cloud<'a> = Vec<(Colour, &'a str, Vec<Vec<f64>>)>;

fn legend<'a>(cloud: &Cloud<'a>) -> Vec<(Colour, &'a str)> {
    cloud.iter().map(|(colour, text, _)| (*colour, *text)).collect()
}
