// Observed against imputed values of one column.

function drawValues(compared, width) {
  return compared.shares.of === "labels" ? drawLabels(compared, width) : drawIntervals(compared, width);
}

// Shares of intervals as steps: an area for what was observed, a dashed line for what was imputed.
function drawIntervals({ column, shares, observed, imputed }, width) {
  const { from, width: step, observed: seen, imputed: put } = shares;
  const height = 270, left = 44, bottom = height - 46;
  const most = Math.max(...seen, ...put, 1e-9);
  const x = scale(from, from + step * seen.length, left, width - 10);
  const y = scale(0, most, bottom, 24);
  const steps = (values) => "M" + x(from) + " " + y(0) + values.map((v, k) => `V${y(v)}H${x(from + step * (k + 1))}`).join("") + "V" + y(0);
  const about = `${observed.count} observed and ${imputed.count} imputed cells; medians ${observed.shown[3]} and ${imputed.shown[3]}.`;
  const svg = drawing(width, height, `Observed and imputed values of ${names[column]}`, about);
  svg.append(
    leftAxis(y, left, width - 10, ticks(0, most, 4).map((share) => [share, percent(share)]), "Share of cells"),
    s("path", { class: "area", d: steps(seen) + "Z" }),
    s("path", { class: "line-observed", d: steps(seen) }),
    s("path", { class: "line-imputed", d: steps(put) }),
    bottomAxis(x, bottom, columnTicks(column, x.from, x.to, width / 80), names[column], width),
  );
  return [svg, valuesLegend(observed, imputed)];
}

// Two bars for each label.
function drawLabels({ column, shares, observed, imputed }, width) {
  const { labels, observed: seen, imputed: put } = shares;
  const left = Math.min(150, width * 0.32), line = 40, height = labels.length * line + 12;
  const most = Math.max(...seen, ...put, 1e-9);
  const x = scale(0, most, left, width - 62);
  const about = `${observed.count} observed and ${imputed.count} imputed cells in ${labels.length} categories.`;
  const svg = drawing(width, height, `Observed and imputed labels of ${names[column]}`, about);
  labels.forEach((label, k) => {
    const top = 8 + k * line;
    const text = label === null ? "all others" : findings.columns[column].labels[label];
    const value = (share, dy) => s("text", { x: x(share) + 6, y: top + dy }, percent(share));
    svg.append(
      s("text", { x: left - 8, y: top + 19, "text-anchor": "end" }, clip(text, Math.floor(left / 7)), s("title", {}, text)),
      s("rect", { class: "observed", x: left, y: top, width: Math.max(x(seen[k]) - left, 0), height: 13, rx: 2 }),
      s("rect", { class: "dot-imputed", x: left + 0.8, y: top + 16, width: Math.max(x(put[k]) - left - 0.8, 0), height: 11, rx: 2 }),
      value(seen[k], 11),
      value(put[k], 26),
    );
  });
  const box = (cls) => s("rect", { class: cls, x: 1, y: 2, width: 26, height: 12, rx: 2 });
  return [svg, legend([box("observed"), `observed (${observed.count})`], [box("dot-imputed"), `imputed (${imputed.count})`])];
}

function valuesLegend(observed, imputed) {
  const area = s("g", {}, s("rect", { class: "area", x: 0, y: 4, width: 28, height: 12 }), s("line", { class: "line-observed", x1: 0, x2: 28, y1: 4, y2: 4 }));
  const dashes = s("line", { class: "line-imputed", x1: 0, x2: 28, y1: 8, y2: 8 });
  return legend([area, `observed (${observed.count})`], [dashes, `imputed (${imputed.count})`]);
}

function startValues(box) {
  const columns = findings.belong.columns;
  if (!columns.length) return;
  const most = columns.reduce((a, b) => (b.imputed.count > a.imputed.count ? b : a));
  let chosen = most.column;
  const plot = h("div");
  const choose = picker("Column", columns.map((c) => c.column), chosen, (column) => {
    chosen = column;
    redraw();
  });
  box.append(h("div", { class: "controls" }, choose), plot);
  const redraw = drawInto(plot, (width) => drawValues(columns.find((c) => c.column === chosen), width));
}
