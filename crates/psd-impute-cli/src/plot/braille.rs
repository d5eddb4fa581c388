//! Pictures for a terminal: a Braille character has two by four dots.

/// The bits of a character's dots, by column and row.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
const BLANK: u32 = 0x2800;

/// Plots a dot for each point within the frame, `x` from left to right and `y` upwards, as lines of a given size in characters.
pub(crate) fn scatter(
    points: impl Iterator<Item = (f64, f64)>,
    [(left, right), (low, high)]: [(f64, f64); 2],
    (width, height): (usize, usize),
) -> Vec<String> {
    let mut bits = vec![vec![0; width]; height];
    for (x, y) in points {
        let across = (x - left) / (right - left) * (2 * width) as f64;
        let down = (high - y) / (high - low) * (4 * height) as f64;
        if (0.0..(2 * width) as f64).contains(&across) && (0.0..(4 * height) as f64).contains(&down) {
            let (across, down) = (across as usize, down as usize);
            bits[down / 4][across / 2] |= DOTS[across % 2][down % 4];
        }
    }
    let line = |bits: &Vec<u32>| bits.iter().filter_map(|&dots| char::from_u32(BLANK + dots)).collect();
    bits.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dot_is_where_its_point_is() {
        let frame = [(0.0, 4.0), (0.0, 4.0)];
        let dot = |x: f64, y: f64| scatter([(x, y)].into_iter(), frame, (2, 1)).concat();
        assert_eq!(dot(0.5, 3.5), "⠁⠀");
        assert_eq!(dot(1.5, 0.5), "⢀⠀");
        assert_eq!(dot(2.5, 2.5), "⠀⠂");
        assert_eq!(dot(3.5, 0.5), "⠀⢀");
        for outside in [(-0.1, 1.0), (4.0, 1.0), (1.0, 4.1), (1.0, 0.0), (f64::NAN, 1.0)] {
            assert_eq!(dot(outside.0, outside.1), "⠀⠀", "{outside:?}");
        }
    }
}
