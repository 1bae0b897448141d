// One round played back: its moments, the table as it was at each, facts beside verdict, and what an auditor asks of it.

import { h, put } from "/public/dom.js";
import { amount, foundValue } from "./amounts.js";
import { get } from "./api.js";
import { card, slot } from "./cards.js";
import { ELEMENTS } from "./catalogue.js";
import { coded } from "./coded.js";
import { byBet, clock, count, moment as when, precise, roundPath, tablePath, words } from "./format.js";
import { Playback } from "./playback.js";
import { bundlePanel, comparePanel, refundPanel, whatIfPanel } from "./round-questions.js";
import { scrolling } from "./stacked.js";

export function show(main, room, [table, shoe, round]) {
  const view = new RoundView(main, room, { table, shoe, round });
  view.begin();
  return () => view.end();
}

class RoundView {
  constructor(main, room, key) {
    Object.assign(this, { main, room, key, path: `/api/v1${roundPath(key.table, key.shoe, key.round)}` });
  }

  async begin() {
    put(this.main, h("p", { class: "pad muted" }, "Reading the round…"));
    let told;
    try {
      told = await get(this.path);
    } catch (problem) {
      put(this.main, h("div", { class: "pad" }, h("h1", {}, this.name), h("p", { class: "said" }, coded(problem.message)), h("p", {}, h("a", { href: "/rounds" }, "Find a round"))));
      return;
    }
    if (this.ended) return;
    this.told = told;
    this.story = told.story;
    this.draw();
  }

  end() {
    this.ended = true;
    this.playback?.pause();
    if (this.keys) document.removeEventListener("keydown", this.keys);
    if (this.printing) removeEventListener("beforeprint", this.printing);
  }

  get name() {
    return `${this.key.table} / ${this.key.shoe} / ${this.key.round}`;
  }

  money(minor) {
    return amount(minor, this.story.decimals);
  }

  draw() {
    const { story } = this;
    const severities = new Map(story.findings.map((finding) => [finding.id, finding.severity]));
    this.stage = h("div", { class: "stage" });
    this.list = h("ol", { class: "moments" }, story.moments.map((moment, place) => this.line(moment, place)));
    this.playback = new Playback(story.moments, severities, (place) => this.see(place));
    this.keys = (event) => {
      if (event.target.closest("input:not([type=range]), textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === " " && event.target.closest("button, a, summary")) return;
      this.playback.key(event);
    };
    document.addEventListener("keydown", this.keys);
    // On paper nothing goes on: the table as it stood in the end.
    this.printing = () => { this.playback.pause(); this.playback.go(story.moments.length - 1); };
    addEventListener("beforeprint", this.printing);
    const auditor = this.room.who.role === "auditor";
    const reporting = auditor || this.room.who.role === "shift_manager";
    const { lacks, leaves_out: leavesOut } = this.told;
    const noted = (kind, text) => text ? h("p", { class: `notice ${kind}`, role: "note" }, coded(text)) : null;
    put(this.main, this.head(), noted("bad", lacks), noted("warn", leavesOut), h("div", { class: "round-grid past" },
      panel("playing", "The round as it was", [this.stage, this.playback.node]),
      panel("telling", "Moments", this.list, `${story.moments.length}`),
      panel("found", "Findings", this.findings(), `${story.findings.length}`),
      panel("facts", "Facts beside verdict", this.facts()),
      panel("bets", "Bets", this.bets(), story.currency ?? ""),
      panel("clauses", "Clauses cited", this.clauses()),
      panel("revisions", "Revisions", comparePanel(this), `${this.told.revisions.length}`),
      reporting ? panel("refund", "Refund sheet", refundPanel(this)) : null,
      auditor ? panel("what-if", "What if", whatIfPanel(this)) : null,
      reporting ? panel("evidence", "Evidence and proof", bundlePanel(this)) : null));
    const first = story.moments.findIndex((moment) => moment.findings.length);
    this.playback.go(new URLSearchParams(location.search).has("finding") ? Math.max(0, first) : 0);
  }

  head() {
    const { story, key } = this;
    const { before, after } = this.told.neighbours;
    const beside = (number, text) => number ? h("a", { href: roundPath(key.table, key.shoe, number) }, text) : null;
    return h("div", { class: "table-head" },
      h("h1", {}, this.name),
      h("span", { class: `status ${story.status ?? "open"}` }, story.status ? words(story.status) : over(story) ? "No verdict" : "Still open"),
      h("p", { class: "muted about" }, [
        story.title ?? "game not known", `${when(Math.floor(story.began / 1000))} to ${clock(Math.floor(story.ended / 1000))}`,
        story.pit ? `pit ${story.pit}` : null, story.dealer ? `dealer ${story.dealer}` : null, story.decks ? `${story.decks} decks` : null,
        story.cameras.length ? `look at ${story.cameras.join(", ")}` : null,
      ].filter(Boolean).join(" · ")),
      h("span", { class: "grow" }),
      h("nav", { class: "links", "aria-label": "Other rounds" }, beside(before, `◂ Round ${before}`), beside(after, `Round ${after} ▸`), h("a", { href: tablePath(key.table) }, "Table"), h("a", { href: "/rounds" }, "Search")));
  }

  line(moment, place) {
    const found = moment.findings.map((id) => this.story.findings.find((each) => each.id === id)).filter(Boolean);
    return h("li", { class: `moment kind-${moment.kind}` },
      h("button", { type: "button", onclick: () => { this.playback.pause(); this.playback.go(place); } },
        h("span", { class: "after number" }, `${(moment.after / 1e6).toFixed(1)} s`), h("span", {}, moment.words),
        found.map((finding) => h("span", { class: `sev ${finding.severity}` }, finding.code))));
  }

  see(place) {
    const { story } = this;
    const moment = story.moments[place];
    for (const [each, node] of [...this.list.children].entries()) {
      const now = each === place;
      node.classList.toggle("now", now);
      if (now) {
        node.firstChild.setAttribute("aria-current", "step");
        if (this.list.scrollHeight > this.list.clientHeight) this.list.scrollTop = node.offsetTop - this.list.clientHeight / 2;
      } else node.firstChild.removeAttribute("aria-current");
    }
    const found = moment.findings.map((id) => story.findings.find((each) => each.id === id)).filter(Boolean);
    // After the last card of a round that is over nothing comes any more, whatever the Table of Play asked for.
    const lastCard = story.moments.findLastIndex((each) => each.kind === "card");
    put(this.stage,
      h("div", { class: "hands" }, Object.entries(moment.hands).map(([hand, cards]) => this.hand(hand, cards, moment))),
      moment.beside.length ? h("p", { class: "beside" }, "Belongs to no hand: ", moment.beside.map((code) => card(code, ELEMENTS.test(code)))) : null,
      h("div", { class: "saying", "aria-live": "polite" },
        h("p", { class: "words" }, moment.words),
        moment.reason ? h("p", {}, moment.reason.words, " ", this.cite(moment.reason.document, moment.reason.clause)) : null,
        moment.next ? h("p", { class: "muted" }, `${story.status && place >= lastCard ? "Table of Play" : "Next"}: ${moment.next}`) : null,
        found.map((finding) => h("p", { class: "pinned" }, h("span", { class: `sev ${finding.severity}` }, finding.code), " ", finding.message)),
        h("p", { class: "muted" }, `${precise(Math.floor(moment.at / 1000))} by ${moment.source}`)));
  }

  hand(hand, cards, moment) {
    const most = hand === "dragon" || hand === "tiger" ? 1 : 2;
    const drawn = cards.map((code) => card(code, ELEMENTS.test(code)));
    while (drawn.length < most) drawn.push(slot());
    return h("div", { class: `hand ${hand}${moment.hand === hand ? " grows" : ""}` },
      h("h3", {}, words(hand), h("span", { class: "total" }, moment.totals[hand] ?? "–")), h("div", { class: "cards-of-hand" }, drawn));
  }

  cite(document, clause) {
    if (!clause) return null;
    return clause.split(", ").map((number) => {
      const subject = this.story.subjects[`${document} ${number}`];
      return h("span", { class: "cite", title: subject ?? null }, `${short(document)} ${number}`, subject ? h("span", { class: "muted" }, ` ${subject}`) : null);
    });
  }

  findings() {
    if (!this.story.findings.length) return h("p", { class: "muted" }, this.story.status ? "Nothing was found." : over(this.story) ? "The round came to its end, and no verdict on it is stored." : "The round is still open: it has no verdict yet.");
    const incident = this.room.may("/reports/incidents/{finding}");
    return h("ul", { class: "plain" }, this.story.findings.map((finding) => {
      const place = this.story.moments.findIndex((moment) => moment.findings.includes(finding.id));
      const [document, clause] = split(finding.rule);
      return h("li", { class: "finding" },
        h("p", {}, h("span", { class: `sev ${finding.severity}` }, finding.code), finding.corrected ? h("span", { class: "muted" }, " corrected") : null),
        h("p", {}, finding.message),
        clause ? h("p", {}, this.cite(document, clause)) : null,
        finding.expected !== null || finding.actual !== null ? h("p", { class: "muted" }, `Expected ${foundValue(finding.code, finding.expected, this.story.decimals)}; was ${foundValue(finding.code, finding.actual, this.story.decimals)}`) : null,
        h("p", { class: "links" },
          place >= 0 ? h("button", { type: "button", onclick: () => { this.playback.pause(); this.playback.go(place); this.stage.scrollIntoView({ block: "nearest" }); } }, "Show the moment") : null,
          incident ? h("a", { href: `/reports/incidents/${finding.id}` }, "Incident report") : null));
    }));
  }

  facts() {
    const { story } = this;
    const last = story.moments.at(-1);
    const totals = (each) => each ? Object.entries(each).map(([hand, total]) => `${words(hand)} ${total ?? "–"}`).join(", ") : "–";
    const computed = story.outcome ? story.outcome.split(",")[0].replace(" wins", "") : "cannot be said";
    const same = (a, b) => a && b ? String(a).toLowerCase() === String(b).toLowerCase() : null;
    // Of cards that contradict each other, or are not all there, nothing is the same and nothing differs.
    const decided = story.outcome || story.status === "void" || !story.status;
    const row = (name, fact, verdict, right) => h("tr", { class: right === false ? "wrong" : null },
      h("th", { scope: "row" }, name), h("td", {}, fact), h("td", {}, verdict), h("td", {}, right === undefined ? "cannot be compared" : right === null ? "" : right ? "✓ same" : "✗ differs"));
    const shownTotals = story.displayed?.totals;
    const readings = story.settings.readings ?? {};
    return [h("table", {},
      h("thead", {}, h("tr", {}, h("th", {}, h("span", { class: "visually-hidden" }, "What")), h("th", { scope: "col" }, "Shown or said"), h("th", { scope: "col" }, "Recomputed"), h("th", { scope: "col" }, "Check"))),
      h("tbody", {},
        row("Winner", story.displayed ? words(story.displayed.winner) : "no display", computed, story.displayed ? !decided ? undefined : (story.displayed.winner === "void" ? story.status === "void" : same(story.displayed.winner, computed)) : null),
        row("Totals", totals(shownTotals), totals(last.totals), shownTotals ? !decided ? undefined : Object.entries(shownTotals).every(([hand, total]) => String(last.totals[hand]) === String(total)) : null))),
    h("dl", { class: "verdict" },
      fact("Verdict", story.status ? `${words(story.status)}${story.outcome ? `: ${story.outcome}` : ""}` : over(story) ? "none is stored" : "none yet"),
      story.differential ? fact("Differential", this.differential(story.differential)) : null,
      fact("Rules in force", story.document_title ? `${story.document_title}, from ${story.in_force ?? "?"}` : "not known"),
      fact("Judged", story.judged ? `${when(story.judged)} by judge ${story.judge}, revision ${story.revision}` : "not yet"),
      fact("Readings", Object.entries(readings).map(([name, choice]) => `${words(name)}: ${choice}`).join("; ") || "–"),
      fact("Tolerance", story.settings.tolerance_ms === undefined ? "–" : `${count(story.settings.tolerance_ms)} ms between devices`),
      fact("Digest of the facts", h("code", { class: "digest" }, story.digest ?? "–")))];
  }

  // It is reckoned from the bets; no device says it.
  differential({ first_card: at, limit }) {
    if (at === null) return "no card was drawn";
    const against = limit === null ? "the table has no limit" : `${at <= limit ? "within" : "over"} the limit of ${this.money(limit)}`;
    return `${this.money(at)} at the first card, ${against}`;
  }

  bets() {
    const { story } = this;
    if (!story.bets.length) return h("p", { class: "muted" }, story.status ? "Nobody bet." : "Bets are told once the round is judged; their moments are in the list.");
    const moved = (each) => each ? `${this.money(each.paid)} / ${this.money(each.collected)}` : "–";
    return scrolling("Bets", h("table", {},
      h("thead", {}, h("tr", {}, ["Bet", "Place", "Player", "Wager", "Stake", "Due: paid / collected", "Moved", "", "Why"].map((name, place) => h("th", { scope: "col", class: place >= 4 && place <= 6 ? "number" : null }, name || h("span", { class: "visually-hidden" }, "Right"))))),
      h("tbody", {}, story.bets.toSorted(byBet).map((bet) => h("tr", { class: bet.right === false ? "wrong" : null },
        h("td", {}, bet.bet), h("td", {}, bet.position), h("td", {}, bet.player ?? "unknown"), h("td", {}, bet.title),
        h("td", { class: "number" }, this.money(bet.stake)), h("td", { class: "number" }, moved(bet.expected)), h("td", { class: "number" }, moved(bet.actual)),
        h("td", { class: "nowrap" }, bet.right === null ? "" : bet.right ? "✓" : "✗ wrong"),
        h("td", { class: "why" }, bet.reason ? [bet.reason.words, " ", this.cite(bet.reason.document, bet.reason.clause)] : "–"))))));
  }

  clauses() {
    const cited = Object.entries(this.story.subjects);
    if (!cited.length) return h("p", { class: "muted" }, "None.");
    return h("dl", { class: "clauses" }, cited.map(([clause, subject]) => fact(clause, subject)));
  }
}

function panel(id, title, body, note = "") {
  return h("section", { class: `panel round-${id}`, "aria-labelledby": `h-${id}` }, h("h2", { id: `h-${id}` }, title, h("small", {}, note)), body);
}

export function fact(name, value) {
  return [h("dt", {}, name), h("dd", {}, value)];
}

function split(rule) {
  const at = (rule ?? "").indexOf(" ");
  return at < 0 ? [rule ?? "", ""] : [rule.slice(0, at), rule.slice(at + 1)];
}

const SHORT = { "dragon-tiger-baccarat": "DTB", "fa-fa-fabulous-4": "FF4", "sands-elements-no-commission": "SE", "dragon-tiger": "DT", "electronic-baccarat": "EB" };
const short = (document) => SHORT[document] ?? document;

const over = (story) => story.moments.some((moment) => moment.kind === "ended");
