// Search: rounds by what an auditor knows of them, the latest first, a page at a time.

import { h, put } from "/public/dom.js";
import { amount, fromField } from "./amounts.js";
import { get } from "./api.js";
import { card } from "./cards.js";
import { catalogue, ELEMENTS } from "./catalogue.js";
import { count, gameTitle, moment, roundPath, siteZone, words } from "./format.js";
import { stacked } from "./stacked.js";

const PAGE = 50;

export function show(main, room) {
  new Search(main, room).begin();
}

class Search {
  constructor(main, room) {
    Object.assign(this, { main, room, asked: 0 });
  }

  async begin() {
    let known;
    try {
      known = await catalogue();
    } catch (problem) {
      put(this.main, h("p", { class: "pad said" }, problem.message));
      return;
    }
    const given = new URLSearchParams(location.search);
    const text = (name, label, more = {}) => labelled(label, h("input", { name, value: given.get(name) ?? "", maxlength: 200, autocomplete: "off", ...more }));
    const wrong = [];
    const choice = (name, label, values, shown = words) => {
      const value = given.get(name);
      if (value && !values.includes(value)) wrong.push(`${label} “${value}” is none: choose one of ${values.join(", ")}.`);
      return select(name, label, values, shown);
    };
    const select = (name, label, values, shown) => labelled(label, h("select", { name },
      h("option", { value: "" }, "any"), values.map((value) => h("option", { value, selected: given.get(name) === value }, shown(value)))));
    const byWhose = `By the clock of ${siteZone()}`;
    this.form = h("form", { class: "search-form panel", onsubmit: (event) => { event.preventDefault(); this.search(0); } },
      text("table", "Table"), text("shoe", "Shoe"),
      labelled("Opened from", h("input", { name: "start", type: "datetime-local", step: 1, title: byWhose, value: given.get("start") ?? "" })),
      labelled("Opened before", h("input", { name: "end", type: "datetime-local", step: 1, title: byWhose, value: given.get("end") ?? "" })),
      this.room.who.sees_players ? text("player", "Player") : null,
      choice("code", "Finding", Object.keys(known.codes).sort(), (code) => code),
      choice("status", "Status", known.statuses), choice("wager", "Wager", Object.keys(known.wagers), (name) => known.wagers[name]), choice("game", "Game", known.games.map((game) => game.name), gameTitle),
      text("pit", "Pit"),
      h("div", { class: "buttons" }, h("button", { class: "primary", type: "submit" }, "Search"),
        h("button", { type: "button", onclick: () => { for (const field of this.form.elements) if (field.name) field.value = ""; this.search(0); } }, "Clear")));
    this.said = h("p", { class: "muted", role: "status" });
    this.list = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Rounds found, scrolls" });
    this.paging = h("div", { class: "tools" });
    put(this.main, h("div", { class: "pad past" }, h("h1", {}, "Replay: find a round"), this.form,
      h("section", { class: "panel", "aria-label": "Rounds found" }, this.said, this.list, this.paging)));
    if (wrong.length) {
      // Without it all rounds would be found, as if they met it.
      put(this.said, h("span", { class: "said" }, wrong.join(" ")));
      return;
    }
    this.search(Number(given.get("skip") ?? 0) || 0, false);
  }

  async search(skip, remember = true) {
    const query = new URLSearchParams();
    const kept = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) {
      const text = value.trim();
      if (!text) continue;
      kept.set(name, text);
      query.set(name, name === "start" || name === "end" ? String(fromField(text, siteZone())) : text);
    }
    if (skip) kept.set("skip", skip);
    if (remember) history.replaceState(null, "", kept.size ? `/rounds?${kept}` : "/rounds");
    query.set("count", PAGE);
    query.set("skip", skip);
    const mine = ++this.asked;
    put(this.said, "Searching…");
    try {
      const told = await get(`/api/v1/rounds?${query}`);
      if (mine === this.asked) this.draw(told, skip);
    } catch (problem) {
      if (mine === this.asked) {
        put(this.said, h("span", { class: "said" }, problem.message));
        put(this.list);
        put(this.paging);
      }
    }
  }

  draw({ total, rounds }, skip) {
    put(this.said, total ? `${count(total)} ${total === 1 ? "round" : "rounds"}; ${count(skip + 1)} to ${count(skip + rounds.length)} shown, the latest first` : "No round meets this. Take something away from the search.");
    put(this.list, total ? stacked(h("table", { class: "found" },
      h("thead", {}, h("tr", {}, ["Round", "Opened", "Game", "Cards", "Result", "Status", "Findings", "Handle", "House won", "Dealer"].map((name) => h("th", { scope: "col", class: name === "Handle" || name === "House won" ? "number" : null }, name)))),
      h("tbody", {}, rounds.map((each) => this.row(each))))) : null);
    put(this.paging,
      skip ? h("button", { type: "button", onclick: () => this.search(Math.max(0, skip - PAGE)) }, "Later rounds") : null,
      skip + rounds.length < total ? h("button", { type: "button", onclick: () => this.search(skip + PAGE) }, "Earlier rounds") : null);
  }

  row(each) {
    const wrong = each.displayed && each.winner && each.displayed !== each.winner;
    return h("tr", {},
      h("td", {}, h("a", { href: roundPath(each.table, each.shoe, each.round) }, `${each.table} / ${each.shoe} / ${each.round}`), each.revision > 1 ? h("small", { class: "muted" }, ` rev. ${each.revision}`) : null),
      h("td", {}, moment(each.opened)), h("td", {}, gameTitle(each.game)),
      h("td", { class: "small-cards" }, each.cards.map((code) => card(code, ELEMENTS.test(code)))),
      h("td", {}, each.winner ? words(each.winner) : "–", wrong ? h("small", { class: "said" }, ` (shown: ${words(each.displayed)})`) : null),
      h("td", {}, h("span", { class: `status ${each.status}` }, words(each.status))),
      h("td", {}, each.codes.length ? [...new Set(each.codes)].join(", ") : "–"),
      h("td", { class: "number" }, amount(each.handle, each.decimals)), h("td", { class: "number" }, amount(each.win, each.decimals)), h("td", {}, each.dealer ?? "–"));
  }
}

function labelled(label, field) {
  return h("label", {}, h("span", {}, label), field);
}
