// Observed cells against what the rest of their row says of them.

function drawCalibration({ column, points, covered }, width) {
  const height = Math.min(420, Math.max(280, width * 0.62)), left = 66, bottom = height - 46;
  const values = points.flat();
  const low = Math.min(...values), high = Math.max(...values), edge = (high - low || 1) * 0.03;
  const x = scale(low - edge, high + edge, left, width - 10);
  const y = scale(low - edge, high + edge, bottom, 24);
  const about = `${points.length} cells, of which the 90 % interval holds ${covered[2]}.`;
  const svg = drawing(width, height, `Predicted against observed ${names[column]}`, about);
  svg.append(
    leftAxis(y, left, width - 10, columnTicks(column, y.from, y.to, 6), "Predicted"),
    s("line", { class: "diagonal", x1: x(x.from), y1: y(y.from), x2: x(x.to), y2: y(y.to) }),
  );
  const apart = jitter(column, points.map((point) => point[0]));
  points.forEach(([truth, median, from, to], k) => {
    const out = truth < from || truth > to;
    const at = x(truth + apart(k));
    const text = `observed ${cellText(column, truth)}, predicted ${cellText(column, median)} (${cellText(column, from)} to ${cellText(column, to)})`;
    svg.append(
      s(
        "g",
        {},
        s("title", {}, text),
        s("line", { class: out ? "interval out" : "interval", x1: at, x2: at, y1: y(from), y2: y(to) }),
        out
          ? s("path", { class: "dot-imputed", d: `M${at} ${y(median) - 4.5}l4.5 4.5l-4.5 4.5l-4.5 -4.5Z` })
          : s("circle", { class: "dot-observed", cx: at, cy: y(median), r: 3.2 }),
      ),
    );
  });
  svg.append(bottomAxis(x, bottom, columnTicks(column, x.from, x.to, width / 80), `Observed ${names[column]}`, width));
  const dot = s("circle", { class: "dot-observed", cx: 14, cy: 8, r: 5 });
  const diamond = s("path", { class: "dot-imputed", d: "M14 2l6 6l-6 6l-6 -6Z" });
  return [svg, legend([dot, "within its 90 % interval"], [diamond, "outside it"]), h("p", { class: "caption" }, about)];
}

function startCalibration(box) {
  const columns = findings.calibration.numbers;
  if (!columns.length) return;
  let chosen = (columns.find((column) => !column.coarse) ?? columns[0]).column;
  const plot = h("div");
  const choose = picker("Column", columns.map((c) => c.column), chosen, (column) => ((chosen = column), redraw()));
  box.append(h("div", { class: "controls" }, choose), plot);
  const redraw = drawInto(plot, (width) => drawCalibration(columns.find((c) => c.column === chosen), width));
}
