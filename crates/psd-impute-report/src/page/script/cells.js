// Rows with gaps: observed cells plain, missing ones coloured by how wide their interval is. What is known of the cell that is pointed at,
// focused or tapped stands beside the grid.

const PAGE = 60;

const isMissing = (cell) => typeof cell === "object";

// Nothing is known of the width where all observed values are the same.
const widthText = (width) => (width === null ? "–" : percent(width));

// In four steps; the bar below the text is as long as the width.
const widthClass = (width) => "w" + Math.min(3, Math.floor(width * 4));

function drawCell(column, known, width) {
  return known.labels ? drawProbabilities(column, known, width) : drawDistribution(column, known, width);
}

function drawDistribution(column, { at, shape, typical }, width) {
  const [median, low, high, from, to] = at;
  const height = 170, bottom = height - 40;
  const x = scale(from, to, 8, width - 8);
  const y = scale(0, 99, bottom, 10);
  const step = (to - from) / shape.length;
  const points = shape.map((mass, k) => [from + (k + 0.5) * step, mass]);
  const outline = (list) => list.map(([v, mass]) => `${x(v).toFixed(1)} ${y(mass).toFixed(1)}`).join("L");
  const svg = drawing(width, height, `Density of the missing ${names[column]}`, `Median ${typical}, 90 % interval shaded.`);
  // Ends may be single values, which lie somewhere within their step.
  const held = points.filter(([v]) => v >= low - step / 2 && v <= high + step / 2);
  if (held.length) {
    const [first, last] = [held[0][0], held[held.length - 1][0]];
    svg.append(s("path", { class: "inside", d: `M${x(first)} ${bottom}L${outline(held)}L${x(last)} ${bottom}Z` }));
  }
  svg.append(
    s("path", { class: "line-observed", d: `M${outline(points)}` }),
    s("line", { class: "mark", x1: x(median), x2: x(median), y1: bottom, y2: bottom - 12 }),
    bottomAxis(x, bottom, columnTicks(column, from, to, width / 85), names[column], width),
  );
  return svg;
}

function drawProbabilities(column, { labels }, width) {
  const line = 24, left = Math.min(110, width * 0.4);
  const svg = drawing(width, labels.length * line + 6, `Probabilities of the missing ${names[column]}`, labels.map(([label, p]) => `${label}: ${percent(p)}`).join(", "));
  const x = scale(0, 1, left, width - 52);
  labels.forEach(([label, p], k) => {
    const top = 3 + k * line;
    svg.append(
      s("text", { x: left - 6, y: top + 14, "text-anchor": "end" }, clip(label, Math.floor(left / 7))),
      s("rect", { class: "imputed", x: left, y: top + 3, width: Math.max(1, x(p) - left), height: 14, rx: 2 }),
      s("text", { x: x(p) + 6, y: top + 14 }, percent(p)),
    );
  });
  return svg;
}

function showCell(panel, row, column) {
  const cell = findings.cells.rows[row].cells[column];
  const heading = h("h3", {}, `Row ${findings.cells.rows[row].row}, ${names[column]}`);
  if (!isMissing(cell)) {
    panel.replaceChildren(heading, h("p", {}, `Observed: ${cell}`));
    return;
  }
  const facts = h("dl");
  const fact = (what, value) => facts.append(h("dt", {}, what), h("dd", {}, value));
  if (cell.number) {
    const [mean, low, high] = cell.number;
    fact("Median", cell.typical);
    fact("Mean", mean);
    fact("90 % interval", `${low} to ${high}`);
    fact("Relative width", widthText(cell.width));
  } else {
    fact("Best guess", cell.typical);
    fact("Another label", percent(cell.width));
  }
  const width = Math.max(200, Math.min(panel.clientWidth - 18, 420));
  panel.replaceChildren(heading, drawCell(column, cell, width), facts);
}

function cellElement(cell, row, column, columnName, number) {
  const attributes = { tabindex: "-1", "data-row": row, "data-column": column };
  if (!isMissing(cell)) return h("td", { ...attributes, title: cell }, cell);
  const bar = h("i", { "aria-hidden": "true" });
  bar.style.width = Math.min(100, Math.round(100 * cell.width)) + "%";
  const label = `${columnName}, row ${number}: missing, about ${cell.typical}, relative width ${widthText(cell.width)}`;
  return h("td", { ...attributes, class: `unsure ${widthClass(cell.width)}`, "aria-label": label, "aria-selected": "false" }, cell.typical, bar);
}

function startCells(box) {
  const rows = findings.cells.rows;
  if (!rows.length) return;
  const pages = Math.ceil(rows.length / PAGE);
  const body = h("tbody");
  const heading = (text) => h("th", { scope: "col", title: text }, text);
  const table = h("table", { class: "grid", role: "grid", "aria-label": "Rows with gaps" }, h("thead", {}, h("tr", {}, heading("Row"), ...names.map(heading))), body);
  const panel = h("div", { class: "panel", role: "status", "aria-live": "polite" });
  const back = h("button", { type: "button" }, "Previous rows");
  const on = h("button", { type: "button" }, "Next rows");
  const where = h("span", { role: "status" });
  let page = 0;
  let chosen = null;

  const choose = (cell) => {
    if (!cell || cell === chosen) return;
    if (chosen) {
      chosen.tabIndex = -1;
      if (chosen.hasAttribute("aria-selected")) chosen.setAttribute("aria-selected", "false");
    }
    chosen = cell;
    cell.tabIndex = 0;
    if (cell.hasAttribute("aria-selected")) cell.setAttribute("aria-selected", "true");
    showCell(panel, Number(cell.dataset.row), Number(cell.dataset.column));
  };
  const turn = (to) => {
    page = to;
    const from = page * PAGE, shown = rows.slice(from, from + PAGE);
    body.replaceChildren(
      ...shown.map((row, k) =>
        h("tr", {}, h("th", { scope: "row" }, String(row.row)), ...row.cells.map((cell, j) => cellElement(cell, from + k, j, names[j], row.row))),
      ),
    );
    where.textContent = `${from + 1} to ${from + shown.length} of ${rows.length} rows`;
    back.disabled = page === 0;
    on.disabled = page === pages - 1;
    chosen = null;
    choose(body.querySelector("td.unsure"));
  };
  const cellOf = (event) => event.target.closest("td[data-row]");
  body.addEventListener("pointerover", (event) => {
    const cell = cellOf(event);
    if (cell && cell.classList.contains("unsure") && !table.contains(document.activeElement)) choose(cell);
  });
  body.addEventListener("click", (event) => {
    const cell = cellOf(event);
    if (cell) cell.focus();
  });
  body.addEventListener("focusin", (event) => choose(cellOf(event)));
  body.addEventListener("keydown", (event) => {
    // With these the keys belong to the browser.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = moved(body, chosen, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  back.addEventListener("click", () => turn(page - 1));
  on.addEventListener("click", () => turn(page + 1));

  const some = findings.cells.of > rows.length ? `${rows.length} of ${findings.cells.of} rows with gaps, chosen at random. ` : "";
  const help = h("p", { class: "caption" }, some + "Observed cells are plain; a missing one shows its median or best guess, darker and with a longer bar the less is known of it. Point at a cell, tap it, or go there with the arrow keys.");
  const controls = h("div", { class: "controls" }, back, on, where);
  box.append(...(pages > 1 ? [controls] : []), h("div", { class: "sure" }, h("div", { class: "scroll" }, table), panel), help);
  turn(0);
}

// The cell that a key leads to.
function moved(body, cell, key) {
  if (!cell) return null;
  const cells = [...cell.parentElement.querySelectorAll("td")];
  const at = cells.indexOf(cell);
  const across = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: cells.length - 1 };
  if (key in across) return cells[across[key]] ?? null;
  const rows = [...body.rows];
  const row = rows.indexOf(cell.parentElement);
  const up = { ArrowUp: row - 1, ArrowDown: row + 1, PageUp: Math.max(0, row - 10), PageDown: Math.min(rows.length - 1, row + 10) };
  return key in up ? (rows[up[key]]?.querySelectorAll("td")[at] ?? null) : null;
}
