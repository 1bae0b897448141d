// What somebody says when he resolves an alert, reopens it, notes something, hands it over or takes it over.

import { h, write } from "/public/dom.js";
import { get, post } from "./api.js";
import { dialog } from "./dialog.js";
import { count, words } from "./format.js";

const DISPOSITIONS = ["confirmed", "false alarm", "test", "training"];

const note = (label, required) => h("label", {}, label, h("textarea", { name: "note", required, maxlength: 4000 }));

const whose = (desk, about = desk.chosen) => ({ author: desk.room.who.name, about });

export function askWords(desk, deed, label) {
  dialog(words(deed), [note(label, true)], (form) => desk.attempt(deed, { note: form.get("note") }), whose(desk));
}

export function askResolution(desk) {
  dialog("Resolve", [
    // Nothing is chosen beforehand: what it was goes into the reports, and somebody has to have said so.
    h("label", {}, "What was it?", h("select", { name: "disposition", required: true }, h("option", { value: "" }, "Choose…"), DISPOSITIONS.map((each) => h("option", { value: each }, words(each))))),
    note("What was found, and what was done about it?", true),
  ], (form) => desk.attempt("resolve", { disposition: form.get("disposition"), note: form.get("note") }), whose(desk));
}

// From whoever has it and may have gone home. Asked for, because a key pressed in passing must not take it from him;
// where it went to somebody else meanwhile, he is named before it is asked for again.
export function askTakingOver(desk, alert) {
  let { holder } = alert;
  const told = () => `${holder} has taken this alert. It is yours then, and keeps both names.`;
  const named = h("p", {}, told());
  dialog("Take over", [named, note("Note", false)], async (form) => {
    const refused = await desk.attempt("hand-over", { to: desk.room.who.name, note: form.get("note"), holder });
    const now = desk.detail?.id === alert.id ? desk.detail.holder : holder;
    if (refused && now && now !== desk.room.who.name) {
      holder = now;
      write(named, told());
    }
    return refused;
  }, whose(desk));
}

// Each from whom it is at now: what a colleague takes over while the dialog is open stays with her.
export async function askHandingOver(desk, alerts) {
  let colleagues;
  try {
    colleagues = (await get("/api/v1/colleagues")).filter((each) => each.name !== desk.room.who.name);
  } catch (problem) {
    desk.room.say(problem.message);
    return;
  }
  let left = alerts;
  dialog(alerts.length === 1 ? "Hand over" : `Hand over ${alerts.length} alerts`, [
    h("label", {}, "To", h("select", { name: "to", required: true }, h("option", { value: "" }, "Choose…"), colleagues.map((each) => h("option", { value: each.name }, `${each.name} (${words(each.role)})`)))),
    note("Note", false),
  ], async (form) => {
    const to = form.get("to");
    const refused = [];
    let uncertain = "";
    let handed = 0;
    for (const alert of left) {
      try {
        desk.know(await post(`/api/v1/alerts/${encodeURIComponent(alert.id)}/hand-over`, { to, note: form.get("note"), holder: alert.holder }));
        handed += 1;
      } catch (problem) {
        if (problem.status === 504) uncertain = problem.message;
        else refused.push({ alert, ...problem, reason: problem.message });
      }
    }
    if (uncertain) desk.room.uncertain.watch();
    const done = [handed || alerts.length > 1 ? `${count(handed)} handed over to ${to}.` : "", uncertain].filter(Boolean).join(" ");
    if (handed || uncertain) desk.room.say(done);
    // What was handed over, or may have been, is not asked for again.
    left = refused.map(({ alert }) => alert);
    if (refused.some(({ alert, status }) => status === 409 && alert.id === desk.chosen)) await desk.open(desk.chosen, { still: true });
    else desk.drawPane();
    if (alerts.length === 1) return refused[0]?.reason ?? "";
    return refused.length ? [h("p", {}, `${done} Not handed over:`), h("ul", {}, refused.map(({ alert, reason }) => h("li", {}, h("b", {}, placed(alert)), `: ${reason}`)))] : "";
  }, { ...whose(desk, alerts.map((alert) => alert.id).join()), deed: "Hand over" });
}

const placed = ({ code, table, round }) => `${code}${table ? ` of ${table}` : ""}${round ? `, round ${round}` : ""}`;
