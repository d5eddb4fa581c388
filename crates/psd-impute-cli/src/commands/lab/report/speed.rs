//! Time against quality: a dot for each method.

use super::bars::colour;
use super::summary::{Measure, Section, median};
use crate::plot::{Align, GREY, INK, PALE, Point, Scene, Step, Weight};
use psd_impute_eval::lab::Method;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 70.0;
const BOTTOM: f64 = 56.0;

pub(super) fn title(section: &Section) -> String {
    format!("Time against energy distance, {}", section.title())
}

/// The figure, if there are two methods to compare.
pub(super) fn draw(section: &Section) -> Option<Scene> {
    let one = |&method: &Method| {
        let (seconds, ratio) = (section.seconds(method), median(section.ratios(method, Measure::Energy))?);
        // A method that failed somewhere would be compared on the tables that suit it.
        let everywhere = seconds.len() == section.datasets.len();
        (everywhere && !method.is_oracle()).then(|| (method, (seconds.iter().sum::<f64>().max(1e-2), ratio)))
    };
    let dots: Vec<(Method, Point)> = section.methods.iter().filter_map(one).collect();
    if dots.len() < 2 {
        return None;
    }
    let mut scene = Scene::new(&title(section), WIDTH as u32, HEIGHT as u32);
    scene.text((LEFT, 28.0), 17.0, Weight::Bold, Align::Start, INK, &title(section));
    let below =
        "median over the tables of a method's energy distance over the best method's; left and low is better";
    scene.text((LEFT, 48.0), 12.5, Weight::Regular, Align::Start, GREY, below);
    let frame = Frame::around(&dots);
    frame.axes(&mut scene);
    let dots: Vec<(Method, Point)> =
        dots.into_iter().map(|(method, (seconds, ratio))| (method, frame.place(seconds, ratio))).collect();
    let mut taken: Vec<Area> = dots.iter().map(|(_, at)| (at.0 - 7.0, at.1 - 7.0, 14.0, 14.0)).collect();
    for (method, at) in dots {
        scene.dots(vec![at], 6.0, colour(method), 1.0);
        let (place, align, area) = beside(at, method.label(), &taken);
        scene.text(place, SIZE, Weight::Regular, align, INK, method.label());
        taken.push(area);
    }
    Some(scene)
}

/// The font size of names.
const SIZE: f64 = 12.5;

/// A corner, a width and a height.
type Area = (f64, f64, f64, f64);

/// The position of a dot's name: to its right, its left, above or below, wherever there is room.
fn beside((x, y): Point, name: &str, taken: &[Area]) -> (Point, Align, Area) {
    // A letter is hardly wider than this.
    let (width, height) = (0.62 * SIZE * name.chars().count() as f64, SIZE);
    let places = [
        ((x + 10.0, y + 4.0), Align::Start, (x + 10.0, y - 6.0, width, height)),
        ((x - 10.0, y + 4.0), Align::End, (x - 10.0 - width, y - 6.0, width, height)),
        ((x, y - 11.0), Align::Middle, (x - 0.5 * width, y - 21.0, width, height)),
        ((x, y + 20.0), Align::Middle, (x - 0.5 * width, y + 10.0, width, height)),
    ];
    let apart = |a: &Area, b: &Area| a.0 + a.2 < b.0 || b.0 + b.2 < a.0 || a.1 + a.3 < b.1 || b.1 + b.3 < a.1;
    let free = places.into_iter().find(|(_, _, area)| taken.iter().all(|other| apart(area, other)));
    free.unwrap_or(places[0])
}

/// Two logarithmic axes, one between powers of ten and one from 1 to a power of two.
struct Frame {
    seconds: (f64, f64),
    ratio: f64,
}

impl Frame {
    fn around(dots: &[(Method, Point)]) -> Self {
        let seconds = dots.iter().map(|dot| dot.1.0.log10());
        let ratio = dots.iter().map(|dot| dot.1.1.log2()).fold(1.0, f64::max);
        let low = seconds.clone().fold(f64::INFINITY, f64::min).floor();
        let high = seconds.fold(f64::NEG_INFINITY, f64::max).ceil().max(low + 1.0);
        Self { seconds: (low, high), ratio: ratio.ceil() }
    }

    fn place(&self, seconds: f64, ratio: f64) -> Point {
        let x = (seconds.log10() - self.seconds.0) / (self.seconds.1 - self.seconds.0);
        let y = ratio.log2() / self.ratio;
        (LEFT + x * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y * (HEIGHT - TOP - BOTTOM))
    }

    fn axes(&self, scene: &mut Scene) {
        for k in self.seconds.0 as i32..=self.seconds.1 as i32 {
            let seconds = 10f64.powi(k);
            let (x, y) = self.place(seconds, 1.0);
            scene.line(vec![Step::Move((x, TOP)), Step::Line((x, y))], 0.7, PALE, 1.0);
            scene.text((x, y + 16.0), 11.0, Weight::Regular, Align::Middle, GREY, &format!("{seconds}"));
        }
        for k in 0..=self.ratio as i32 {
            let ratio = 2f64.powi(k);
            let (right, y) = self.place(10f64.powf(self.seconds.1), ratio);
            scene.line(vec![Step::Move((LEFT, y)), Step::Line((right, y))], 0.7, PALE, 1.0);
            scene.text((LEFT - 8.0, y + 4.0), 11.0, Weight::Regular, Align::End, GREY, &format!("{ratio}"));
        }
        let names = "seconds of one core for all tables, one seed";
        scene.text((LEFT, HEIGHT - 14.0), 12.0, Weight::Regular, Align::Start, INK, names);
    }
}
