// What somebody says when he resolves an alert, reopens it, notes something, hands it over or takes it over.

import { h } from "/public/dom.js";
import { get, post } from "./api.js";
import { dialog } from "./dialog.js";
import { count, words } from "./format.js";

const DISPOSITIONS = ["confirmed", "false alarm", "test", "training"];

const note = (label, required) => h("label", {}, label, h("textarea", { name: "note", required, maxlength: 4000 }));

export function askWords(desk, deed, label) {
  dialog(words(deed), [note(label, true)], (form) => desk.attempt(deed, { note: form.get("note") }));
}

export function askResolution(desk) {
  dialog("Resolve", [
    // Nothing is chosen beforehand: what it was goes into the reports, and somebody has to have said so.
    h("label", {}, "What was it?", h("select", { name: "disposition", required: true }, h("option", { value: "" }, "Choose…"), DISPOSITIONS.map((each) => h("option", { value: each }, words(each))))),
    note("What was found, and what was done about it?", true),
  ], (form) => desk.attempt("resolve", { disposition: form.get("disposition"), note: form.get("note") }));
}

// From whoever has it and may have gone home. Asked for, because a key pressed in passing must not take it from him.
export function askTakingOver(desk, holder) {
  dialog("Take over", [h("p", {}, `${holder} has taken this alert. It is yours then, and keeps both names.`), note("Note", false)],
    (form) => desk.attempt("hand-over", { to: desk.room.who.name, note: form.get("note") }));
}

export async function askHandingOver(desk, ids) {
  let colleagues;
  try {
    colleagues = (await get("/api/v1/colleagues")).filter((each) => each.name !== desk.room.who.name);
  } catch (problem) {
    desk.room.say(problem.message);
    return;
  }
  dialog(ids.length === 1 ? "Hand over" : `Hand over ${ids.length} alerts`, [
    h("label", {}, "To", h("select", { name: "to", required: true }, h("option", { value: "" }, "Choose…"), colleagues.map((each) => h("option", { value: each.name }, `${each.name} (${words(each.role)})`)))),
    note("Note", false),
  ], async (form) => {
    let refused = "";
    for (const id of ids) {
      try {
        desk.know(await post(`/api/v1/alerts/${encodeURIComponent(id)}/hand-over`, { to: form.get("to"), note: form.get("note") }));
      } catch (problem) {
        refused = problem.message;
        if (problem.status === 503) desk.room.uncertain.watch();
      }
    }
    if (!refused) desk.room.say(`${count(ids.length)} handed over to ${form.get("to")}.`);
    desk.drawPane();
    return refused;
  });
}
