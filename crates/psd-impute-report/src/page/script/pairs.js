// Two columns against each other: observed rows, and completed rows of which one of the two was missing.

// How far points of a column with few values are moved apart, so that they do not hide each other; always in the same way.
function jitter(column, values) {
  const different = [...new Set(values)].sort((x, y) => x - y);
  const gaps = different.slice(1).map((x, k) => x - different[k]);
  const room = hasLabels(column) ? 0.6 : different.length <= 12 && gaps.length ? 0.5 * Math.min(...gaps) : 0;
  return (k) => (((k * 0.618034) % 1) - 0.5) * room;
}

function pairPoints(a, b) {
  const { observed, completed, missing } = findings.pairs;
  const both = (row) => row[a] !== null && row[b] !== null;
  return {
    seen: observed.filter(both),
    put: completed.filter((row, k) => both(row) && (missing[k].includes(a) || missing[k].includes(b))),
  };
}

function pairRange(column, points) {
  if (hasLabels(column)) return [-0.5, findings.columns[column].labels.length - 0.5];
  const values = points.map((row) => row[column]);
  const low = Math.min(...values), high = Math.max(...values), edge = (high - low || 1) * 0.06;
  return [low - edge, high + edge];
}

function drawPair(a, b, width) {
  const { seen, put } = pairPoints(a, b);
  const points = [...seen, ...put];
  if (!points.length) return [h("p", { class: "caption" }, "No row has both.")];
  const height = Math.min(420, Math.max(280, width * 0.62)), left = 66, bottom = height - 46;
  const x = scale(...pairRange(a, points), left, width - 10);
  const y = scale(...pairRange(b, points), bottom, 24);
  const svg = drawing(width, height, `${names[b]} against ${names[a]}`, `${seen.length} observed rows and ${put.length} rows with an imputed cell.`);
  svg.append(leftAxis(y, left, width - 10, columnTicks(b, y.from, y.to, 6), names[b]));
  const [across, up] = [a, b].map((column) => jitter(column, points.map((row) => row[column])));
  const at = (row, k) => ({ cx: x(row[a] + across(k)).toFixed(1), cy: y(row[b] + up(k * 7 + 3)).toFixed(1) });
  seen.forEach((row, k) => svg.append(s("circle", { class: "dot-observed", r: 3, ...at(row, k) })));
  put.forEach((row, k) => {
    const { cx, cy } = at(row, k);
    svg.append(s("path", { class: "dot-imputed", d: `M${cx} ${(cy - 4.5).toFixed(1)}l4.5 4.5l-4.5 4.5l-4.5 -4.5Z` }));
  });
  svg.append(bottomAxis(x, bottom, columnTicks(a, x.from, x.to, width / 80), names[a], width));
  const dot = s("circle", { class: "dot-observed", cx: 14, cy: 8, r: 5 });
  const diamond = s("path", { class: "dot-imputed", d: "M14 2l6 6l-6 6l-6 -6Z" });
  return [svg, legend([dot, `both observed (${seen.length})`], [diamond, `one or both imputed (${put.length})`]), pairTable(a, b, seen, put)];
}

// The points as a table, made when it is opened.
function pairTable(a, b, seen, put) {
  const details = h("details", {}, h("summary", {}, "These points as a table"));
  const make = () => {
    if (details.children.length > 1) return;
    const row = (what) => (cells) => h("tr", {}, h("td", {}, what), h("td", { class: "number" }, cellText(a, cells[a])), h("td", { class: "number" }, cellText(b, cells[b])));
    const heading = (text) => h("th", { scope: "col" }, text);
    const head = h("thead", {}, h("tr", {}, heading("Row"), heading(names[a]), heading(names[b])));
    const body = h("tbody", {}, ...seen.map(row("observed")), ...put.map(row("imputed")));
    details.append(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Points" }, h("table", {}, head, body)));
  };
  details.addEventListener("toggle", make);
  return details;
}

function startPairs(box) {
  if (names.length < 2) return;
  const columns = names.map((_, j) => j);
  const most = [...columns].sort((i, j) => findings.missing.columns[j].missing - findings.missing.columns[i].missing);
  // What has gaps goes up, against a column of many values.
  const different = (j) => (hasLabels(j) ? 0 : new Set(findings.pairs.observed.map((row) => row[j])).size);
  let b = most.find((j) => different(j) > 12) ?? most[0];
  let a = most.find((j) => j !== b && different(j) > 12) ?? most.find((j) => j !== b);
  const plot = h("div");
  const across = picker("Across", columns, a, (column) => ((a = column), redraw()));
  const up = picker("Up", columns, b, (column) => ((b = column), redraw()));
  box.append(h("div", { class: "controls" }, across, up), plot);
  const redraw = drawInto(plot, (width) => drawPair(a, b, width));
}
