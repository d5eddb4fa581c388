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

// Days of the calendar between two times, which are counted in units: first days of years or of months, or else round numbers of days.
// Each comes with its text.
function calendar(from, to, unit, about) {
  const day = 864e5, days = ((to - from) * unit) / day;
  const wide = days > 365 * about ? 12 * ticks(0, days / 365, about)[1] : [1, 2, 3, 6, 12].find((months) => days / 30 / months <= about);
  if (days < 45 || !(wide >= 1)) {
    const step = unit >= day ? Math.max(1, ticks(0, to - from, about)[1] ?? 1) : ticks(0, to - from, about)[1];
    const first = Math.ceil(from / step) * step;
    const places = Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, k) => first + k * step);
    return places.map((x) => [x, timeText(x * unit, unit)]);
  }
  const step = Math.round(wide);
  const start = new Date(from * unit), out = [];
  for (let month = Math.ceil((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step) * step; out.length < 50; month += step) {
    const time = Date.UTC(Math.floor(month / 12), month % 12, 1);
    if (time > to * unit) break;
    if (time >= from * unit) out.push([time / unit, new Date(time).toISOString().slice(0, step % 12 === 0 ? 4 : 7)]);
  }
  return out;
}

// The ticks of a column with their texts: every label, days of the calendar, or round numbers. So many have room.
function columnTicks(column, from, to, about) {
  const { labels, unit, decimals } = findings.columns[column];
  if (labels.length) {
    const step = Math.ceil(labels.length / Math.max(about, 1));
    return labels.map((label, k) => [k, label]).filter(([k]) => k % step === 0);
  }
  if (unit) return calendar(from, to, unit, Math.max(1, about));
  const whole = (x) => Number.isInteger(x) || decimals !== 0;
  return ticks(from, to, about).filter(whole).map((x) => [x, short(x)]);
}

const clip = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

// Both axes take places with their texts.
function bottomAxis(place, at, values, title, length) {
  const axis = s("g", { class: "axis", "aria-hidden": "true" }, s("line", { x1: place(place.from), x2: place(place.to), y1: at, y2: at }));
  for (const [x, text] of values) {
    const anchor = place(x) < 24 ? "start" : place(x) > length - 24 ? "end" : "middle";
    axis.append(s("line", { x1: place(x), x2: place(x), y1: at, y2: at + 4 }), s("text", { x: place(x), y: at + 17, "text-anchor": anchor }, clip(text, 14)));
  }
  axis.append(s("text", { x: (place(place.from) + place(place.to)) / 2, y: at + 34, "text-anchor": "middle" }, clip(title, 48)));
  return axis;
}

function leftAxis(place, at, right, values, title) {
  const axis = s("g", { class: "axis", "aria-hidden": "true" });
  for (const [y, text] of values) {
    axis.append(s("line", { x1: at, x2: right, y1: place(y), y2: place(y) }), s("text", { x: at - 6, y: place(y) + 4, "text-anchor": "end" }, clip(text, 10)));
  }
  if (title) axis.append(s("text", { x: 2, y: 12 }, clip(title, 40)));
  return axis;
}
