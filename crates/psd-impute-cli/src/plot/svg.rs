//! A scene as SVG.

use super::{Colour, Ink, Item, Point, Scene, Step};
use std::fmt::Write;

pub(super) fn write(scene: &Scene) -> String {
    let (w, h) = (scene.width, scene.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n\
         <title>{}</title>\n<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n",
        scene.title.replace('&', "&amp;").replace('<', "&lt;")
    );
    for item in &scene.items {
        match item {
            Item::Path { steps, ink, colour, opacity } => {
                let paint = match ink {
                    Ink::Fill => format!("fill=\"{}\" fill-rule=\"evenodd\"", hex(*colour)),
                    Ink::Line(width) => format!(
                        "fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
                        hex(*colour),
                        short(*width)
                    ),
                };
                line(&mut out, format_args!("<path {paint}{} d=\"{}\"/>", faint(*opacity), data(steps)));
            }
            Item::Dots { centres, radius, colour, opacity } => {
                let paint = format!("fill=\"{}\"{}", hex(*colour), faint(*opacity));
                line(&mut out, format_args!("<g {paint}>"));
                for &(x, y) in centres {
                    let (x, y, r) = (short(x), short(y), short(*radius));
                    line(&mut out, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"));
                }
                line(&mut out, format_args!("</g>"));
            }
        }
    }
    out.push_str("</svg>\n");
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").unwrap_or_else(|_| unreachable!("a string takes any text"));
}

fn faint(opacity: f64) -> String {
    if opacity < 1.0 {
        format!(" fill-opacity=\"{0}\" stroke-opacity=\"{0}\"", short(opacity))
    } else {
        String::new()
    }
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Two decimals at most.
fn short(x: f64) -> f64 {
    (100.0 * x).round() / 100.0
}

fn data(steps: &[Step]) -> String {
    let at = |(x, y): Point| format!("{} {}", short(x), short(y));
    let text = |step: &Step| match step {
        Step::Move(p) => format!("M{}", at(*p)),
        Step::Line(p) => format!("L{}", at(*p)),
        Step::Quad(c, p) => format!("Q{} {}", at(*c), at(*p)),
        Step::Close => "Z".to_string(),
    };
    steps.iter().map(text).collect()
}
