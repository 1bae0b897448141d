// The access log: who looked at what, and who did what.

import { h, put } from "/public/dom.js";
import { get } from "./api.js";
import { count, moment, shown, words } from "./format.js";
import { stacked } from "./stacked.js";

export function show(main) {
  const body = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Entries" });
  const who = h("input", { type: "search", placeholder: "Who", "aria-label": "Who", onchange: draw });
  const table = h("input", { type: "search", placeholder: "Table", "aria-label": "Table", onchange: draw });
  const hours = h("select", { "aria-label": "How long back", onchange: draw }, [[1, "Last hour"], [12, "Last shift"], [24, "Last day"], [168, "Last week"], [8760, "Last year"]].map(([value, text]) => h("option", { value, selected: value === 24 }, text)));
  put(main, h("div", { class: "pad past" }, h("h1", {}, "Access log"), h("div", { class: "tools span-form" }, who, table, hours, h("button", { type: "button", onclick: draw }, "Look again")), h("section", { class: "panel" }, body)));
  draw();

  async function draw() {
    const query = new URLSearchParams({ hours: hours.value });
    if (who.value) query.set("who", who.value.trim());
    if (table.value) query.set("table", table.value.trim());
    try {
      const told = await get(`/api/v1/access-log?${query}`);
      put(body, h("p", { class: "muted" }, `${count(told.total)} entries${told.total > told.entries.length ? `, the latest ${count(told.entries.length)} shown` : ""}`),
        stacked(h("table", {}, h("thead", {}, h("tr", {}, ["When", "Who", "Role", "What", "Table", "Round", "From", "More"].map((text) => h("th", { scope: "col" }, text)))),
          h("tbody", {}, told.entries.map((each) => h("tr", {}, h("td", {}, moment(each.at)), h("td", {}, each.who), h("td", {}, words(each.role)), h("td", {}, each.action), h("td", {}, each.table), h("td", {}, each.round ? `${each.shoe} / ${each.round}` : ""), h("td", {}, each.address), h("td", {}, Object.keys(each.detail).length ? shown(dated(each.detail)) : "")))))));
    } catch (problem) {
      put(body, h("p", { class: "said" }, problem.message));
    }
  }
}

// From here on it is microseconds: in milliseconds it would be the year 5138.
const MICROSECONDS = 1e14;

// The span that somebody asked about, on the clock of whoever reads this. Reports keep milliseconds; searches and commands microseconds, as the store does.
function dated(detail) {
  const said = (value) => moment(value < MICROSECONDS ? value : value / 1000);
  return Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, (name === "start" || name === "end") && Number.isInteger(value) ? said(value) : value]));
}
