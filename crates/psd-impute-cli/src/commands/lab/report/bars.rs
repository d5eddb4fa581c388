//! Bars: a panel for each table, a bar for each method, one standard deviation over the seeds.

use super::summary::{Average, Dataset, Measure, Section};
use crate::plot::{Align, Colour, GREY, INK, PALE, Scene, Step, Weight, polygon, ticks};
use psd_impute_eval::lab::Method;

const COLUMNS: usize = 5;
const WIDTH: f64 = 1200.0;
const LEFT: f64 = 46.0;
const GAP: f64 = 14.0;
const TALL: f64 = 120.0;
const ABOVE: f64 = 40.0;
const HEAD: f64 = 48.0;
/// The height of a legend line.
const LINE: f64 = 20.0;
const KEYS: usize = 6;

/// A method's colour: ours are blue, the oracle grey.
pub(super) fn colour(method: Method) -> Colour {
    const OTHERS: [Colour; 12] = [
        [213, 94, 0],
        [230, 159, 0],
        [0, 158, 115],
        [204, 121, 167],
        [240, 228, 66],
        [148, 103, 60],
        [90, 60, 130],
        [120, 180, 60],
        [200, 60, 80],
        [160, 160, 90],
        [70, 140, 150],
        [240, 140, 140],
    ];
    match method {
        Method::PsdMean => [86, 180, 233],
        Method::PsdMultiple => [0, 114, 178],
        Method::PsdIdeal => [190, 196, 206],
        _ => {
            let others = Method::ALL.iter().filter(|method| !method.is_ours());
            let place = others.into_iter().position(|other| *other == method).unwrap_or(0);
            OTHERS[place % OTHERS.len()]
        }
    }
}

/// The figure, if any table has the measure.
pub(super) fn draw(section: &Section, measure: Measure) -> Option<Scene> {
    let shown: Vec<&Dataset> =
        section.datasets.iter().filter(|dataset| section.best(dataset, measure).is_some()).collect();
    if shown.is_empty() {
        return None;
    }
    let legend = section.methods.len().div_ceil(KEYS) as f64 * LINE;
    let top = HEAD + legend;
    let height = top + shown.len().div_ceil(COLUMNS) as f64 * (ABOVE + TALL) + 16.0;
    let mut scene = Scene::new(&measure.title(section), WIDTH as u32, height.round() as u32);
    let title = format!("{}: lower is better", measure.title(section));
    scene.text((LEFT, 30.0), 19.0, Weight::Bold, Align::Start, INK, &title);
    keys(&mut scene, &section.methods);
    let width = (WIDTH - LEFT) / COLUMNS as f64 - LEFT - GAP + LEFT / COLUMNS as f64;
    for (k, dataset) in shown.iter().enumerate() {
        let x = LEFT + (k % COLUMNS) as f64 * (width + LEFT + GAP);
        let y = top + ABOVE + (k / COLUMNS) as f64 * (ABOVE + TALL);
        panel(&mut scene, (x, y), width, section, dataset, measure);
    }
    Some(scene)
}

/// Draws the legend of colours.
fn keys(scene: &mut Scene, methods: &[Method]) {
    for (k, method) in methods.iter().enumerate() {
        let x = LEFT + (k % KEYS) as f64 * (WIDTH - LEFT) / KEYS as f64;
        let y = HEAD + (k / KEYS) as f64 * LINE;
        scene.fill(box_at(x, y, 12.0, 12.0), colour(*method));
        let text = if method.is_oracle() {
            format!("{} (knows the truth)", method.label())
        } else {
            method.label().into()
        };
        scene.text((x + 18.0, y + 11.0), 12.5, Weight::Regular, Align::Start, INK, &text);
    }
}

fn panel(
    scene: &mut Scene,
    (x, y): (f64, f64),
    width: f64,
    section: &Section,
    dataset: &Dataset,
    measure: Measure,
) {
    let bars: Vec<(Method, Average)> = section
        .methods
        .iter()
        .filter_map(|&method| Some((method, dataset.average(method, measure)?)))
        .collect();
    let top = |bar: &(Method, Average)| bar.1.mean + bar.1.deviation.unwrap_or(0.0);
    let high = bars.iter().map(top).fold(f64::MIN_POSITIVE, f64::max) * 1.04;
    let tall = TALL - 12.0;
    let at = |value: f64| y + tall * (1.0 - value.max(0.0) / high);
    let title = format!("{} ({} × {})", dataset.name, dataset.rows, dataset.columns);
    scene.text((x, y - 8.0), 12.0, Weight::Bold, Align::Start, INK, &title);
    for tick in ticks((0.0, high)).into_iter().step_by(2) {
        scene.line(vec![Step::Move((x, at(tick))), Step::Line((x + width, at(tick)))], 0.7, PALE, 1.0);
        scene.text((x - 5.0, at(tick) + 3.5), 10.0, Weight::Regular, Align::End, GREY, &short(tick));
    }
    let each = width / bars.len() as f64;
    for (k, (method, Average { mean, deviation })) in bars.into_iter().enumerate() {
        let left = x + each * k as f64 + 0.12 * each;
        scene.fill(box_at(left, at(mean), 0.76 * each, y + tall - at(mean)), colour(method));
        if let Some(deviation) = deviation {
            let middle = left + 0.38 * each;
            let ends = (at(mean - deviation), at(mean + deviation));
            scene.line(vec![Step::Move((middle, ends.0)), Step::Line((middle, ends.1))], 1.2, INK, 0.85);
        }
    }
    scene.line(vec![Step::Move((x, y + tall)), Step::Line((x + width, y + tall))], 1.0, GREY, 1.0);
}

fn box_at(x: f64, y: f64, width: f64, height: f64) -> Vec<Step> {
    polygon(&[(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
}

/// A tick label without digits left by rounding.
fn short(x: f64) -> String {
    format!("{}", (x * 1e6).round() / 1e6)
}
