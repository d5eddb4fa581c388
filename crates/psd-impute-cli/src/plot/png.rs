//! A scene as PNG.

use super::{Colour, Ink, Item, Point, Scene, Step};
use crate::commands::Failure;
use tiny_skia::{Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

pub(super) fn write(scene: &Scene, scale: f64) -> Result<Vec<u8>, Failure> {
    let pixels = |n: u32| (f64::from(n) * scale).round() as u32;
    let mut map = Pixmap::new(pixels(scene.width), pixels(scene.height))
        .ok_or_else(|| Failure::Picture("a picture needs a width and a height".to_string()))?;
    map.fill(Color::WHITE);
    let transform = Transform::from_scale(scale as f32, scale as f32);
    for item in &scene.items {
        match item {
            Item::Path { steps, ink, colour, opacity } => {
                let Some(path) = path(steps) else { continue };
                let paint = paint(*colour, *opacity);
                match ink {
                    Ink::Fill => map.fill_path(&path, &paint, FillRule::EvenOdd, transform, None),
                    Ink::Line(width) => {
                        let width = *width as f32;
                        let stroke = Stroke { width, line_join: LineJoin::Round, ..Default::default() };
                        map.stroke_path(&path, &paint, &stroke, transform, None);
                    }
                }
            }
            Item::Dots { centres, radius, colour, opacity } => {
                let paint = paint(*colour, *opacity);
                for &(x, y) in centres {
                    if let Some(disc) = PathBuilder::from_circle(x as f32, y as f32, *radius as f32) {
                        map.fill_path(&disc, &paint, FillRule::Winding, transform, None);
                    }
                }
            }
        }
    }
    map.encode_png().map_err(|error| Failure::Picture(error.to_string()))
}

fn paint([r, g, b]: Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Default::default() };
    paint.set_color_rgba8(r, g, b, (255.0 * opacity).round() as u8);
    paint
}

fn path(steps: &[Step]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let at = |(x, y): Point| (x as f32, y as f32);
    for step in steps {
        match *step {
            Step::Move(p) => builder.move_to(at(p).0, at(p).1),
            Step::Line(p) => builder.line_to(at(p).0, at(p).1),
            Step::Quad(c, p) => builder.quad_to(at(c).0, at(c).1, at(p).0, at(p).1),
            Step::Close => builder.close(),
        }
    }
    builder.finish()
}
