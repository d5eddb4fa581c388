"use strict";
// Elements, and cells as text. Text from the table goes into text nodes and attributes only.

const findings = JSON.parse(document.getElementById("findings").textContent);
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

const names = findings.columns.map((column) => column.name);
const hasLabels = (column) => findings.columns[column].labels.length > 0;

// A number with so many digits after the first, without an end of zeros.
function short(x, digits = 4) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  const text = size !== 0 && (size < 1e-4 || size >= 1e9) ? x.toExponential(2) : String(Number(x.toPrecision(digits)));
  return text.replace("-", "−");
}

const percent = (share) => short(100 * share, share < 0.0995 ? 2 : 3) + " %";

// A cell of a column as text: a label, a date, a number.
function cellText(column, x) {
  const { labels, unit } = findings.columns[column];
  if (labels.length) return labels[Math.round(x)] ?? "";
  return unit ? timeText(x * unit, unit) : short(x);
}

// Days have no time; seconds only where the unit has them.
function timeText(milliseconds, unit) {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return short(milliseconds);
  const text = date.toISOString();
  return unit >= 864e5 ? text.slice(0, 10) : text.slice(0, unit >= 6e4 ? 16 : 19).replace("T", " ");
}

let controls = 0;

// A labelled choice among columns.
function picker(label, columns, chosen, change) {
  const id = "control-" + ++controls;
  const select = h("select", { id });
  for (const column of columns) select.append(h("option", { value: column }, names[column]));
  select.value = String(chosen);
  select.addEventListener("change", () => change(Number(select.value)));
  return h("label", { for: id }, label, select);
}

// A drawing with a name and a description for those who do not see it.
function drawing(width, height, title, description) {
  const id = "drawing-" + ++controls;
  return s(
    "svg",
    { class: "plot", role: "img", width, height, viewBox: `0 0 ${width} ${height}`, "aria-labelledby": `${id}-t ${id}-d` },
    s("title", { id: id + "-t" }, title),
    s("desc", { id: id + "-d" }, description),
  );
}

function legend(...entries) {
  const list = h("ul", { class: "legend" });
  for (const [mark, text] of entries) list.append(h("li", {}, s("svg", { "aria-hidden": "true", viewBox: "0 0 28 16" }, mark), text));
  return list;
}

// Draws into a box as wide as there is room, and again when there is more or less.
function drawInto(box, draw) {
  let width = 0;
  const redraw = () => {
    width = Math.floor(box.clientWidth);
    if (width > 0) box.replaceChildren(...[draw(Math.max(width, 240))].flat());
  };
  new ResizeObserver(() => {
    if (Math.floor(box.clientWidth) !== width) redraw();
  }).observe(box);
  redraw();
  return redraw;
}
