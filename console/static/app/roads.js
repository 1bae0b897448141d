// The five roads of a shoe, drawn from the places that the console reckoned.

import { h, put, s } from "/public/dom.js";

const LETTER = { player: "P", banker: "B", tie: "T", dragon: "D", tiger: "G" };
const ROWS = 6;

// The newest column is in sight, unless somebody has scrolled back to look at older ones. The empty columns behind it
// push none out of sight.
export function drawRoads(panel, told) {
  const scrolled = () => [...panel.querySelectorAll(".scroll")];
  const newest = (each) => Math.max(0, Number(each.dataset.newest) - each.clientWidth);
  const before = scrolled().map((each) => each.scrollLeft < newest(each) - 2 ? each.scrollLeft : null);
  put(panel, boards(told));
  scrolled().forEach((each, place) => { each.scrollLeft = before[place] ?? newest(each); });
}

function boards(told) {
  const roads = [
    ["Bead plate", told.bead_plate, 16, bead, "wide"],
    ["Big road", told.big_road, 16, ring, "wide"],
    ["Big eye boy", told.big_eye_boy, 10, hollow],
    ["Small road", told.small_road, 10, solid],
    ["Cockroach pig", told.cockroach_pig, 10, stroke],
  ];
  return roads.map(([name, cells, size, mark, wide]) => h("figure", { class: `road-board ${wide ?? ""}` },
    h("figcaption", {}, name),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `${name}, scrolls`, "data-newest": used(cells) * size + 1 }, board(cells, size, mark))));
}

// Columns with something in them, and the one that is next.
const used = (cells) => cells.reduce((most, cell) => Math.max(most, cell[0] + 1), 0) + 1;

function board(cells, size, mark) {
  const columns = Math.max(used(cells), 18);
  const lines = [];
  for (let x = 0; x <= columns; x += 1) lines.push(`M${x * size} 0V${ROWS * size}`);
  for (let y = 0; y <= ROWS; y += 1) lines.push(`M0 ${y * size}H${columns * size}`);
  return s("svg", { class: "board", width: columns * size + 1, height: ROWS * size + 1, viewBox: `-.5 -.5 ${columns * size + 1} ${ROWS * size + 1}`, role: "img", "aria-label": spoken(cells) },
    s("path", { class: "lines", d: lines.join("") }),
    cells.map((cell) => s("g", { transform: `translate(${(cell[0] + .5) * size} ${(cell[1] + .5) * size})` }, mark(cell, size))));
}

const spoken = (cells) => cells.slice(-12).map((cell) => cell[2]).join(", ") || "empty";

function bead([, , winner, round, pairs], size) {
  return [s("title", {}, `Round ${round}: ${winner}`), s("circle", { class: `fill ${winner}`, r: size * .43 }),
    s("text", { class: "letter", y: size * .2, "font-size": size * .58 }, LETTER[winner] ?? "?"),
    pairs.map((hand) => s("circle", { class: `pair ${hand}`, cx: (hand === "player" ? 1 : -1) * size * .36, cy: (hand === "player" ? 1 : -1) * size * .36, r: size * .15 }))];
}

function ring([, , winner, round, ties], size) {
  return [s("title", {}, `Round ${round}: ${winner}${ties ? `, ${ties} ties` : ""}`), s("circle", { class: `line ${winner}`, r: size * .37 }),
    ties ? s("text", { class: "ties", y: size * .22, "font-size": size * .6 }, ties) : null];
}

const hollow = ([, , colour, round], size) => [s("title", {}, `Round ${round}`), s("circle", { class: `line ${colour}`, r: size * .34 })];
const solid = ([, , colour, round], size) => [s("title", {}, `Round ${round}`), s("circle", { class: `fill ${colour}`, r: size * .36 })];
const stroke = ([, , colour, round], size) => [s("title", {}, `Round ${round}`), s("path", { class: `line ${colour}`, d: `M${-size * .33} ${size * .33}L${size * .33} ${-size * .33}` })];
