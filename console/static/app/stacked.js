// Tables that fit a phone: there each row stands as a block of lines, every value behind the name of its column.

import { h } from "/public/dom.js";

const ROLES = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };

// Laid out as blocks, a table is none any more for those who listen, unless its parts say what they are.
export function stacked(table) {
  const columns = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  table.classList.add("stacked");
  for (const node of [table, ...table.querySelectorAll("*")]) {
    const role = node.tagName === "TH" ? (node.scope === "row" ? "rowheader" : "columnheader") : ROLES[node.tagName];
    if (role) node.setAttribute("role", role);
  }
  for (const row of table.tBodies[0].rows) {
    for (const [place, cell] of [...row.cells].entries()) cell.dataset.column = columns[place] ?? "";
  }
  return table;
}

export function scrolling(name, table) {
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `${name}, scrolls` }, stacked(table));
}
