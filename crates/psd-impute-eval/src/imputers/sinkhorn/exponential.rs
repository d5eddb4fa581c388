//! Powers of two, many at once.
//!
//! With `n` the integer nearest to `t`, `2ᵗ = 2ⁿ 2ʳ` and `|r| ≤ ½`, where Taylor's polynomial of degree 11 has a relative error below
//! `10⁻¹⁴`. It has no branch and no call, so that a loop around it is vectorised to the width of the machine's registers.

/// Adding it to a number of moderate size puts the nearest integer into the last bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Powers are clamped to this range.
const MOST: f64 = 1000.0;
const DEGREE: usize = 11;
/// `(log 2)ᵏ / k!`
const TAYLOR: [f64; DEGREE + 1] = {
    let mut out = [1.0; DEGREE + 1];
    let mut k = 1;
    while k <= DEGREE {
        out[k] = out[k - 1] * std::f64::consts::LN_2 / k as f64;
        k += 1;
    }
    out
};

/// `2ᵗ` for `t` clamped to between -1000 and 1000.
#[inline(always)]
pub(super) fn exp2(t: f64) -> f64 {
    let t = t.clamp(-MOST, MOST);
    let shifted = t + ROUND;
    let r = t - (shifted - ROUND);
    let mut sum = TAYLOR[DEGREE];
    for k in (0..DEGREE).rev() {
        sum = sum.mul_add(r, TAYLOR[k]);
    }
    // The last bits of `shifted` are those of `n`; shifted to the position of the exponent, they make `2ⁿ`.
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_system() {
        for k in -200_000..=200_000 {
            let t = f64::from(k) * 0.005;
            let (fast, exact) = (exp2(t), t.exp2());
            assert!((fast - exact).abs() <= 1e-14 * exact, "{t}: {fast} {exact}");
        }
        assert_eq!(exp2(0.0), 1.0);
        assert_eq!(exp2(f64::NEG_INFINITY), exp2(-1000.0));
    }
}
