// What the pane says of an alert: what to do, the facts, and what was done.

import { h } from "/public/dom.js";
import { foundValue } from "./amounts.js";
import { coded } from "./coded.js";
import { exactly, gameTitle, moment, roundPath, tablePath, words } from "./format.js";

export function factsOf(alert, room) {
  return [
    h("h3", {}, "What to do"),
    h("p", { class: "advice" }, coded(alert.advice)),
    h("dl", { class: "facts" },
      alert.tables.length ? fact("Tables", h("span", {}, alert.tables.map((table, place) => [place ? ", " : "", h("a", { href: tablePath(table) }, table)]))) : null,
      fact("Rule", alert.rule ?? "no clause behind it"),
      alert.expected === null ? null : fact("Expected", foundValue(alert.code, alert.expected, alert.decimals)), alert.actual === null ? null : fact("Actual", foundValue(alert.code, alert.actual, alert.decimals)),
      alert.bet ? fact("Bet", alert.bet) : null, alert.draw ? fact("Draw", alert.draw) : null,
      alert.table ? fact("Game", gameTitle(alert.game)) : null,
      alert.table ? fact("Look at", h("span", {}, alert.cameras.length ? alert.cameras.join(", ") : "no camera set up", h("br"), `at ${exactly(alert.time)}`)) : fact("When", exactly(alert.time)),
      fact("Round", alert.round && alert.shoe ? (room.may("/rounds") ? h("a", { href: roundPath(alert.table, alert.shoe, alert.round) }, `shoe ${alert.shoe}, round ${alert.round}: replay`) : `shoe ${alert.shoe}, round ${alert.round}`) : "of no round"),
      alert.basis === "statistics" ? fact("Basis", "statistics: it accuses nobody") : null),
  ];
}

export function doneAt(alert) {
  return [
    h("h3", {}, "What was done"),
    alert.steps?.length ? null : h("p", { class: "muted" }, nothingListed(alert)),
    h("ol", { class: "steps" }, (alert.steps ?? []).map((step) => h("li", {}, h("time", {}, moment(step.at)), " ", h("b", {}, step.action), step.by && step.action !== "escalated" ? ` by ${step.by}${step.role ? ` (${words(step.role)})` : ""}` : "", step.recipient ? ` to ${step.recipient}` : "", step.disposition ? `: ${step.disposition}` : "", step.note ? h("p", { class: "note" }, step.note) : null))),
  ];
}

// Where the steps are not known, nothing is said of how many there are.
function nothingListed({ steps, without, raised }) {
  if (steps) return `Raised ${moment(raised)}; nothing yet.`;
  return without ? `Raised ${moment(raised)}; what was done since is not known here.` : "…";
}

const fact = (name, value) => [h("dt", {}, name), h("dd", {}, value)];
