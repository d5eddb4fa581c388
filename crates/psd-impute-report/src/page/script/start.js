// Everything in its place.

startValues(document.getElementById("values-chart"));
startPairs(document.getElementById("pairs-chart"));
startCells(document.getElementById("cells-chart"));
startCalibration(document.getElementById("calibration-chart"));

// The section that is read is marked in the contents.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const seen = new Set();
const reader = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) entry.isIntersecting ? seen.add(entry.target.id) : seen.delete(entry.target.id);
    const first = [...links.keys()].find((id) => seen.has(id));
    links.forEach((link, id) => (id === first ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  },
  { rootMargin: "-10% 0px -60% 0px" },
);
document.querySelectorAll("main > section").forEach((section) => reader.observe(section));

// A box that is wider than its room says so, at the side where there is more.
for (const box of document.querySelectorAll(".scroll")) {
  const room = h("div", { class: "room" });
  box.replaceWith(room);
  room.append(box, h("p", { class: "cue", "aria-hidden": "true" }, "scroll sideways →"));
  const look = () => {
    const more = box.scrollWidth - box.clientWidth;
    room.classList.toggle("wide", more > 2);
    room.classList.toggle("more-left", more > 2 && box.scrollLeft > 2);
    room.classList.toggle("more-right", more > 2 && box.scrollLeft < more - 2);
  };
  box.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(box);
  look();
}

// On paper nothing can be unfolded.
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((details) => (details.open = true)));
