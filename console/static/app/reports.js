// The shift in figures: rounds, handle, win and hold with its band, what was found, how alerts were met; to print or download.

import { h, put } from "/public/dom.js";
import { amount, fieldTime, fromField, percent, siteTime, span } from "./amounts.js";
import { get } from "./api.js";
import { fileLink } from "./file-link.js";
import { count, SEVERITIES } from "./format.js";
import { scrolling } from "./stacked.js";

const BY = [["table", "Tables"], ["dealer", "Dealers"], ["player", "Players"]];

export function show(main, room) {
  new Reports(main, room).begin();
}

class Reports {
  constructor(main, room) {
    Object.assign(this, { main, room, by: "table", asked: 0 });
  }

  get hasFiles() {
    return this.room.who.role !== "operator";
  }

  begin() {
    const given = new URLSearchParams(location.search);
    this.query = new URLSearchParams([...given].filter(([name]) => ["start", "end", "table"].includes(name)));
    this.head = h("div");
    this.body = h("div", { class: "past" });
    put(this.main, h("div", { class: "pad past report" }, this.head, this.body));
    this.ask();
  }

  async ask() {
    const mine = ++this.asked;
    put(this.body, h("p", { class: "muted" }, "Adding up…"));
    try {
      const told = await get(`/api/v1/reports/shift?${this.query}`);
      if (mine !== this.asked) return;
      this.told = told;
      this.drawHead();
      this.draw();
    } catch (problem) {
      if (mine === this.asked) put(this.body, h("p", { class: "said" }, problem.message), h("p", {}, h("button", { type: "button", onclick: () => this.ask() }, "Try again")));
    }
  }

  drawHead() {
    const { span: about } = this.told;
    const drawn = h("div", { class: "no-print", role: "status" });
    const field = (name, ms) => h("input", { name, type: "datetime-local", required: true, value: fieldTime(ms, about.zone) });
    const form = h("form", { class: "tools span-form no-print", onsubmit: (event) => {
      event.preventDefault();
      const fields = form.elements;
      this.choose({ start: fromField(fields.start.value, about.zone), end: fromField(fields.end.value, about.zone), table: fields.table.value.trim() });
    } },
    labelled("From", field("start", about.start)), labelled("To", field("end", about.end)),
    labelled("Table", h("input", { name: "table", value: about.table ?? "", placeholder: "all", maxlength: 200 })),
    h("button", { class: "primary", type: "submit" }, "Show"),
    h("button", { type: "button", onclick: () => this.shift(-1) }, "◂ Before"), h("button", { type: "button", onclick: () => this.shift(1) }, "After ▸"),
    h("button", { type: "button", onclick: () => this.choose({}) }, "Running shift"),
    h("button", { type: "button", onclick: () => print() }, "Print"),
    !this.hasFiles ? null : h("span", { class: "links files" }, ["table", "dealer", "player", "findings"].map((part) => fileLink(`/api/v1/reports/shift/${part}.csv?${this.spanQuery()}`, `CSV: ${part}`, drawn))));
    put(this.head, h("h1", {}, about.table ? `Shift report: table ${about.table}` : "Shift report"),
      h("p", {}, `${siteTime(about.start, about.zone, false)} to ${siteTime(about.end, about.zone, false)}, ${about.zone}`,
        !about.begun ? h("strong", {}, " · has not begun yet") : about.running ? h("strong", {}, " · still running: these figures will change") : null,
        h("span", { class: "muted" }, ` · drawn ${siteTime(about.at, about.zone)} for ${this.room.who.name}`)), form, drawn);
  }

  spanQuery() {
    const { start, end, table } = this.told.span;
    const query = new URLSearchParams({ start, end });
    if (table) query.set("table", table);
    return query;
  }

  shift(by) {
    const { start, end, table } = this.told.span;
    const long = end - start;
    this.choose({ start: start + by * long, end: end + by * long, table });
  }

  choose(given) {
    this.query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== null && value !== undefined && value !== ""));
    history.replaceState(null, "", this.query.size ? `/reports?${this.query}` : "/reports");
    this.ask();
  }

  draw() {
    const { told } = this;
    this.lines = h("div");
    put(this.body,
      h("div", { class: "totals" }, told.totals.length ? told.totals.map((line) => this.total(line)) : h("p", { class: "panel" }, told.heard ? "No round was opened in this time." : `Nobody has heard of a table ${told.span.table}.`)),
      h("p", { class: "muted" }, "Hold here is theoretical: win over handle, all stakes but those of void rounds, which are given back. House won is what moved, also what was wrongly taken or paid in a void round. No drop or fills are known. The band is where 95 of 100 such shifts lie, by the exact odds of the wagers placed. Rounds that the cards did not decide, and shoes with a number of decks that the rules do not allow, have no odds: hold is of the others, and “over 9” says that these were nine."),
      section("found", "Findings by code", this.findings(), `${count(told.findings.reduce((sum, each) => sum + each.findings, 0))}`),
      section("met", "How alerts were met", this.responses(), `${count(told.response.alerts)} alerts`),
      section("lines", h("span"), [
        h("div", { class: "tools no-print", role: "group", "aria-label": "By" }, BY.map(([by, name]) => h("button", { type: "button", "data-by": by, "aria-pressed": String(by === this.by), onclick: () => this.split(by) }, name))), this.lines]));
    this.split(this.by);
  }

  total(line) {
    const { band } = line;
    return h("section", { class: "panel total-of", "aria-label": `All tables in ${line.currency}` },
      h("h2", {}, line.currency || "currency not known"),
      h("dl", { class: "figures" },
        figure("Rounds", count(line.rounds)), figure("Bets", count(line.bets)), figure("Handle", amount(line.handle, line.decimals)), figure("House won", amount(line.win, line.decimals)),
        figure("Hold", band ? percent(band.hold) : "–"), figure("95 % band", band ? `${percent(band.low)} to ${percent(band.high)}` : "–"),
        figure("Flagged", count(line.flagged)), figure("Void", count(line.void)), figure("Unverifiable", count(line.unverifiable))),
      band ? h("p", { class: band.inside ? "good-text" : "said" }, band.inside ? "✓ Hold is inside its band." : "✗ Hold is outside its band.", ` Expected win ${amount(band.expected, line.decimals)}, standard deviation ${amount(band.deviation, line.decimals)}, over ${count(band.rounds)} rounds that the cards decided.`) : null);
  }

  findings() {
    const { findings } = this.told;
    if (!findings.length) return h("p", { class: "muted" }, "Nothing was found.");
    const order = [...findings].sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || b.findings - a.findings);
    const table = scrolling("Findings", h("table", {}, head(["Code", "Severity", "#Found", "#Cleared later", "#Put right later"]),
      h("tbody", {}, order.map((each) => h("tr", {}, h("td", {}, each.rounds ? h("a", { href: this.roundsOf({ code: each.code }) }, each.code) : each.code), h("td", {}, h("span", { class: `sev ${each.severity}` }, each.severity)), number(each.findings), number(each.cleared), number(each.corrected))))));
    const clocks = findings.some((each) => each.code === "device-clock");
    return clocks ? [table, h("p", { class: "muted" }, "Counted by the time that devices gave; device-clock, which says that this time is wrong, by when it was found.")] : table;
  }

  roundsOf(wanted) {
    const { start, end, zone, table } = this.told.span;
    return `/rounds?${new URLSearchParams({ ...(table ? { table } : {}), ...wanted, start: fieldTime(start, zone), end: fieldTime(end, zone) })}`;
  }

  responses() {
    const { responses, response } = this.told;
    if (!response.alerts) return h("p", { class: "muted" }, "No alert was raised.");
    const row = (each, name) => h("tr", { class: name ? "sum" : null }, h("td", {}, name ?? each.code), number(each.alerts), number(each.acknowledged), h("td", { class: "number" }, span(each.to_acknowledge)), h("td", { class: "number" }, span(each.slowest_acknowledge)), number(each.resolved), h("td", { class: "number" }, span(each.to_resolve)), h("td", { class: "number" }, each.judged ? `${percent(each.false_share, 0)} (${each.false_alarms} of ${each.judged})` : "–"));
    return scrolling("Alerts", h("table", {}, head(["Code", "#Alerts", "#Acknowledged", "#Median to acknowledge", "#Slowest", "#Resolved", "#Median to resolve", "#False alarms"]),
      h("tbody", {}, row(response, "All"), responses.map((each) => row(each)))));
  }

  async split(by) {
    this.by = by;
    for (const button of this.body.querySelectorAll("[data-by]")) button.setAttribute("aria-pressed", String(button.dataset.by === by));
    // On paper the buttons are gone: the title says which of the three it is.
    put(this.body.querySelector("#h-lines span"), `By ${by}`);
    put(this.lines, h("p", { class: "muted" }, "Adding up…"));
    try {
      const told = await get(`/api/v1/reports/shift/by/${by}?${this.spanQuery()}`);
      if (by === this.by) this.drawLines(told);
    } catch (problem) {
      put(this.lines, h("p", { class: "said" }, problem.message));
    }
  }

  drawLines({ total, lines }) {
    const name = { table: "Table", dealer: "Dealer", player: "Player" }[this.by];
    if (!lines.length) {
      put(this.lines, h("p", { class: "muted" }, "Nobody."));
      return;
    }
    put(this.lines, h("p", { class: "muted" }, `${count(total)}, the highest handle first${total > lines.length ? `; the first ${count(lines.length)} are shown${this.hasFiles ? ", the file has all" : ""}` : ""}. House won is from the house's side.`),
      scrolling(name, h("table", {}, head([name, "#Rounds", "#Flagged", "#Handle", "#House won", "#Hold", "95 % band", "Where it lies", ...(this.by === "player" ? [] : ["#Findings"])]),
        h("tbody", {}, lines.map((line) => h("tr", { class: line.band && !line.band.inside ? "wrong" : null },
          h("td", {}, this.named(line), line.currency ? h("small", { class: "muted" }, ` ${line.currency}`) : null), number(line.rounds), number(line.flagged),
          h("td", { class: "number" }, amount(line.handle, line.decimals)), h("td", { class: "number" }, amount(line.win, line.decimals)), h("td", { class: "number" }, line.band ? percent(line.band.hold) : "–", line.band && line.band.rounds < line.rounds ? h("small", { class: "muted" }, ` over ${count(line.band.rounds)}`) : null),
          h("td", { class: "nowrap" }, line.band ? `${percent(line.band.low)} to ${percent(line.band.high)}` : "–"), h("td", {}, line.band ? place(line.band) : null),
          this.by === "player" ? null : number(line.findings)))))));
  }

  named(line) {
    const name = line.name || "not known";
    const masked = this.by === "player" && !this.room.who.sees_players;
    if (!line.name || masked || this.by === "dealer" || !this.room.may("/rounds")) return name;
    return h("a", { href: this.roundsOf({ [this.by]: line.name }) }, name);
  }
}

// Where hold lies: the band in the middle, hold as a mark that says also by its place and words whether it is inside.
function place(band) {
  const wide = band.high - band.low || 1;
  const at = Math.max(0, Math.min(100, 25 + ((band.hold - band.low) / wide) * 50));
  return h("meter", { class: band.inside ? "inside" : "outside", min: 0, max: 100, low: 25, high: 75, optimum: 50, value: at, title: band.inside ? "inside the band" : "outside the band" }, band.inside ? "inside" : "outside");
}

function section(id, title, body, note = "") {
  return h("section", { class: `panel report-${id}`, "aria-labelledby": `h-${id}` }, h("h2", { id: `h-${id}` }, title, h("small", {}, note)), body);
}

function head(names) {
  return h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col", class: name.startsWith("#") ? "number" : null }, name.replace("#", "")))));
}

const number = (value) => h("td", { class: "number" }, value === null ? "–" : count(value));
const figure = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));

function labelled(label, field) {
  return h("label", {}, h("span", {}, label), field);
}
