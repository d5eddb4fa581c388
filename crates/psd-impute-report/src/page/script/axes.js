// Axes: scales from numbers to places, ticks at round numbers.

function scale(from, to, low, high) {
  const span = to > from ? to - from : 1;
  const place = (x) => low + ((x - from) / span) * (high - low);
  return Object.assign(place, { from, to });
}

// About so many round numbers between two.
function ticks(from, to, about) {
  const span = to - from;
  if (!(span > 0)) return [from];
  const rough = span / Math.max(about, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const first = Math.ceil(from / step - 1e-9);
  const out = [];
  for (let k = first; k * step <= to + step * 1e-9 && out.length < 50; k++) out.push(k * step);
  return out;
}

// The ticks of a column: every label, or round numbers, which of dates are days.
function columnTicks(column, from, to, about) {
  const { labels, unit, decimals } = findings.columns[column];
  if (labels.length) {
    const step = Math.ceil(labels.length / Math.max(about, 1));
    return labels.map((_, k) => k).filter((k) => k % step === 0);
  }
  if (unit) return ticks(from, to, about).filter((x) => Number.isInteger(x) || unit < 864e5);
  return ticks(from, to, about).filter((x) => Number.isInteger(x) || decimals !== 0);
}

const clip = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

function bottomAxis(place, at, values, text, title, length) {
  const axis = s("g", { class: "axis", "aria-hidden": "true" }, s("line", { x1: place(place.from), x2: place(place.to), y1: at, y2: at }));
  values.forEach((x, k) => {
    const anchor = place(x) < 24 ? "start" : place(x) > length - 24 ? "end" : "middle";
    axis.append(s("line", { x1: place(x), x2: place(x), y1: at, y2: at + 4 }), s("text", { x: place(x), y: at + 17, "text-anchor": anchor }, clip(text(x), 14)));
  });
  axis.append(s("text", { x: (place(place.from) + place(place.to)) / 2, y: at + 34, "text-anchor": "middle" }, clip(title, 48)));
  return axis;
}

function leftAxis(place, at, right, values, text, title) {
  const axis = s("g", { class: "axis", "aria-hidden": "true" });
  for (const y of values) {
    axis.append(s("line", { x1: at, x2: right, y1: place(y), y2: place(y) }), s("text", { x: at - 6, y: place(y) + 4, "text-anchor": "end" }, clip(text(y), 10)));
  }
  if (title) axis.append(s("text", { x: 2, y: 12 }, clip(title, 40)));
  return axis;
}
