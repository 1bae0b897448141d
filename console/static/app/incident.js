// The incident report for the regulator: one finding with its round, its rule, and who did what when.

import { h, put } from "/public/dom.js";
import { amount, foundValue, siteTime } from "./amounts.js";
import { get } from "./api.js";
import { card } from "./cards.js";
import { ELEMENTS } from "./catalogue.js";
import { coded } from "./coded.js";
import { byBet, roundPath, words } from "./format.js";
import { fact } from "./round.js";
import { scrolling } from "./stacked.js";

const KINDS = { table: "at the table", alert: "about the alert", access: "with the records" };

export function show(main, room, [finding]) {
  put(main, h("p", { class: "pad muted" }, "Drawing the report…"));
  get(`/api/v1/reports/incidents/${finding}`).then((told) => draw(main, told), (problem) => put(main, h("div", { class: "pad" }, h("h1", {}, "Incident report"), h("p", { class: "said" }, problem.message))));
}

function draw(main, told) {
  const { finding, story } = told;
  const at = (ms) => siteTime(ms, told.zone);
  const rule = finding.rule ? [finding.rule, told.subjects[finding.rule] ? h("span", { class: "muted" }, ` ${told.subjects[finding.rule]}`) : null] : "no clause is behind it";
  const where = [told.table ? `table ${told.table}` : null, told.shoe ? `shoe ${told.shoe}` : null, told.round ? `round ${told.round}` : null].filter(Boolean).join(", ");
  put(main, h("article", { class: "pad past incident" },
    h("div", { class: "tools no-print" }, told.round ? h("a", { href: `${roundPath(told.table, told.shoe, told.round)}?finding=first` }, "Replay the round") : null, h("button", { type: "button", onclick: () => print() }, "Print")),
    h("h1", {}, "Incident report"),
    h("p", { class: "muted" }, `Drawn ${at(told.made)} (${told.zone}) by ${told.made_by}. Finding ${finding.id}.`),
    h("section", { class: "panel" }, h("h2", {}, h("span", { class: `sev ${finding.severity}` }, finding.code)),
      h("p", { class: "words" }, finding.message),
      h("dl", {}, fact("Where", where || "of no table"), fact("When", `${at(told.time)}; raised ${at(told.raised)}`), fact("Rule", rule),
        finding.expected === null && finding.actual === null ? null : [fact("Expected", foundValue(finding.code, finding.expected, told.decimals)), fact("Was", foundValue(finding.code, finding.actual, told.decimals))],
        story?.currency ? fact("Amounts", `in ${story.currency}`) : null,
        fact("Put right", finding.corrected ? "yes, by a later correction" : finding.cleared ? "cleared by a later fact" : "no"),
        fact("The alert is", told.outcome), fact("First steps", coded(told.advice)), fact("Cameras", told.cameras.join(", ") || "none on record"))),
    h("section", { class: "panel" }, h("h2", {}, "Who did what when"), told.deeds.length ? scrolling("Who did what when", h("table", {},
      h("thead", {}, h("tr", {}, ["When", "Who", "What", ""].map((name) => h("th", { scope: "col" }, name || h("span", { class: "visually-hidden" }, "Kind"))))),
      h("tbody", {}, told.deeds.map((deed) => h("tr", {}, h("td", { class: "nowrap" }, at(deed.at)), h("td", {}, deed.who, deed.role ? h("small", { class: "muted" }, ` ${words(deed.role)}`) : null), h("td", {}, deed.what, deed.note ? h("q", {}, deed.note) : null), h("td", { class: "muted" }, KINDS[deed.kind] ?? deed.kind)))))) : h("p", { class: "muted" }, "Nothing is on record.")),
    story ? roundOf(story, told.zone) : h("section", { class: "panel" }, h("h2", {}, "The round"), h("p", {}, coded(told.no_story)))));
}

function roundOf(story, zone) {
  const last = story.moments.at(-1);
  const money = (minor) => amount(minor, story.decimals);
  const moved = (each) => each ? `${money(each.paid)} / ${money(each.collected)}` : "–";
  return h("section", { class: "panel" }, h("h2", {}, "The round", h("small", {}, `${story.title ?? ""}, ${words(story.status ?? "open")}`)),
    h("p", {}, [story.outcome ?? "no outcome", story.document_title ? `judged by ${story.document_title}, in force from ${story.in_force}` : null, story.dealer ? `dealer ${story.dealer}` : null].filter(Boolean).join("; ")),
    h("div", { class: "hands" }, Object.entries(last.hands).map(([hand, cards]) => h("div", { class: `hand ${hand}` }, h("h3", {}, words(hand), h("span", { class: "total" }, last.totals[hand] ?? "–")), h("div", { class: "cards-of-hand" }, cards.map((code) => card(code, ELEMENTS.test(code))))))),
    h("h3", {}, "What happened"),
    h("ol", { class: "told" }, story.moments.map((moment) => h("li", { class: moment.findings.length ? "pinned" : null }, h("span", { class: "number muted" }, `${siteTime(Math.floor(moment.at / 1000), zone).slice(-8)} `), moment.words, moment.reason ? h("span", { class: "muted" }, ` ${moment.reason.words}${moment.reason.clause ? ` (${moment.reason.clause})` : ""}`) : null))),
    story.bets.length ? [h("h3", {}, "Bets", story.currency ? h("small", { class: "muted" }, ` in ${story.currency}`) : null), scrolling("Bets", h("table", {}, h("thead", {}, h("tr", {}, ["Bet", "Place", "Player", "Wager", "Stake", "Due: paid / collected", "Moved"].map((name, place) => h("th", { scope: "col", class: place > 3 ? "number" : null }, name)))),
      h("tbody", {}, story.bets.toSorted(byBet).map((bet) => h("tr", { class: bet.right === false ? "wrong" : null }, h("td", {}, bet.bet), h("td", {}, bet.position), h("td", {}, bet.player ?? "unknown"), h("td", {}, bet.title), h("td", { class: "number" }, money(bet.stake)), h("td", { class: "number" }, moved(bet.expected)), h("td", { class: "number" }, moved(bet.actual)))))))] : null,
    h("h3", {}, "Clauses"), h("dl", { class: "cited" }, Object.entries(story.subjects).map(([clause, subject]) => fact(clause, subject))),
    h("p", { class: "muted" }, "Digest of the facts: ", h("code", { class: "digest" }, story.digest ?? "–")));
}
