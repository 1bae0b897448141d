// The queue of the desk: what stands in which line, so that one broken device does not bury all else.

import { h } from "/public/dom.js";
import { closedLine } from "./closing.js";
import { count, SEVERITIES } from "./format.js";

export const rank = (alert) => SEVERITIES.indexOf(alert.severity) + (["raised", "reopened", "escalated"].includes(alert.state) ? 0 : 10);

// The lines of alerts, worst and newest first: open ones of one table, code and device are folded under the first of them,
// where they are not unfolded; the chosen one stands by itself all the same. Critical ones are never folded.
// Of each line `more` tells how many others are of its device, `folded` how many of them have no line of their own.
export function gathered(alerts, unfolded, chosen) {
  const groups = new Map();
  for (const alert of alerts) {
    const key = alert.device === null || !alert.open || alert.severity === "critical" ? alert.id : JSON.stringify([alert.table, alert.code, alert.device]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(alert);
  }
  return [...groups].flatMap(([key, [first, ...others]]) => {
    const own = unfolded.has(key) ? others : others.filter(({ id }) => id === chosen);
    return [{ alert: first, key, more: others.length, folded: others.length - own.length, under: false },
      ...own.map((alert) => ({ alert, key, more: 0, folded: 0, under: true }))];
  });
}

export function lineOf(desk, { alert, key, more, under }) {
  const clock = h("span", { class: "clock" });
  const node = h("li", { class: under ? "under" : null }, h("button", { type: "button", class: `alert ${alert.severity}`, "data-alert": alert.id, onclick: () => desk.open(alert.id, { focus: true }) },
    h("span", { class: "alert-top" }, h("span", { class: `sev ${alert.severity}` }, alert.code), h("b", {}, alert.table ?? "no table"), clock),
    h("span", { class: "alert-words" }, alert.message),
    h("span", { class: "alert-foot" }, `${alert.pit ? `pit ${alert.pit} · ` : ""}${alert.round ? `round ${alert.round} · ` : ""}${alert.closed ? closedLine(alert) : stateWords(alert)}`)),
  more ? h("button", { type: "button", class: "more-of", "data-more": key, "aria-expanded": String(desk.unfolded.has(key)), onclick: () => desk.unfold(key) },
    `and ${count(more)} more ${alert.device ? "of this device" : "like it"}`) : null);
  return { node, clock };
}

// An alert that nobody has acknowledged is still in the state of its last escalation: it is said once.
const stateWords = ({ state, holder, escalations }) => {
  const told = escalations ? `escalated ${escalations}×` : "";
  return state === "escalated" ? told || state : `${state}${holder ? ` by ${holder}` : ""}${told && ` · ${told}`}`;
};
