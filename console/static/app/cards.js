// Cards of both decks, drawn: four suits, or five elements with the picture cards Shou, Lu and Fu.

import { s } from "/public/dom.js";

const SUITS = {
  S: ["spades", "black", "M0-8C4-3 8-1 8 3 8 6 5 7.5 2.5 6 1.6 5.6 1 5 .7 4.4L2 9H-2L-.7 4.4C-1 5-1.6 5.6-2.5 6-5 7.5-8 6-8 3-8-1-4-3 0-8Z"],
  H: ["hearts", "red", "M0 8C-5 3-8 .5-8-3-8-6-6-7.5-4-7.5-2-7.5-.6-6 0-4.5 .6-6 2-7.5 4-7.5 6-7.5 8-6 8-3 8 .5 5 3 0 8Z"],
  D: ["diamonds", "red", "M0-9 6.5 0 0 9-6.5 0Z"],
  C: ["clubs", "black", "M0-8A3.6 3.6 0 0 1 3-2.4 3.6 3.6 0 1 1 .8 3.6L2 9H-2L-.8 3.6A3.6 3.6 0 1 1-3-2.4 3.6 3.6 0 0 1 0-8Z"],
};
const ELEMENTS = {
  F: ["Fire", "fire", "M0-9C1-4 7-3 6 3 5.500 7 3 9 0 9-3 9-6 7-6 3-6 .5-4-1-3.500-3.500-2-2-2-1-1.500 0-.5-3-1-6 0-9Z"],
  G: ["Gold", "gold", "M0-8.500A8.500 8.500 0 1 1 0 8.500 8.500 8.500 0 1 1 0-8.500ZM-3-3V3H3V-3Z"],
  E: ["Earth", "earth", "M-9 7-2-7 1-1.500 3.500-5 9 7Z"],
  W: ["Wood", "wood", "M0-9C6-5 7 0 1 4V9H-1V4C-7 0-6-5 0-9Z"],
  A: ["Water", "water", "M0-9C4-3 6.500 0 6.500 3.500A6.500 6.500 0 0 1-6.500 3.500C-6.500 0-4-3 0-9Z"],
};
const PICTURES = { S: "Shou", L: "Lu", F: "Fu" };
const RANKS = { A: "Ace", J: "Jack", Q: "Queen", K: "King" };

export function cardName(code, elements) {
  const rank = code.slice(0, -1);
  const mark = code.slice(-1);
  if (elements) return `${PICTURES[rank] ?? RANKS[rank] ?? rank} of ${ELEMENTS[mark]?.[0] ?? mark}`;
  return `${RANKS[rank] ?? rank} of ${SUITS[mark]?.[0] ?? mark}`;
}

// Which deck a card is of cannot always be told from its code: the table's deck says it.
export function card(code, elements) {
  const rank = code.slice(0, -1);
  const [, tone, path] = (elements ? ELEMENTS : SUITS)[code.slice(-1)] ?? ["", "black", "M-6-6H6V6H-6Z"];
  const shown = elements ? (PICTURES[rank] ?? rank) : rank;
  const long = shown.length > 2;
  return s("svg", { class: `playing-card ${tone}`, viewBox: "0 0 60 84", role: "img", "aria-label": cardName(code, elements) },
    s("rect", { class: "face", x: 1, y: 1, width: 58, height: 82, rx: 6 }),
    s("text", { class: long ? "rank long" : "rank", x: 6, y: long ? 19 : 22 }, shown),
    s("g", { transform: `translate(${long ? 48 : 13} ${long ? 14 : 33}) scale(.62)` }, s("path", { d: path, "fill-rule": "evenodd" })),
    s("g", { transform: "translate(35 56) scale(1.9)" }, s("path", { d: path, "fill-rule": "evenodd" })));
}

export function slot() {
  return s("svg", { class: "playing-card empty", viewBox: "0 0 60 84", "aria-hidden": "true" },
    s("rect", { class: "face", x: 1, y: 1, width: 58, height: 82, rx: 6 }));
}
