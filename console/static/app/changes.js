// Changes of what the house is watched by: proposed by one administrator, made by another, kept with both names.

import { h, put } from "/public/dom.js";
import { get, post } from "./api.js";
import { coded } from "./coded.js";
import { moment, words } from "./format.js";
import { stacked } from "./stacked.js";

const NAMES = { ALERT_ROUTING: "Alert routing", SIGNING_KEY: "Signing key" };
// TOLERANCE_MS is "Tolerance (ms)".
const nameOf = (subject) => NAMES[subject] ?? words(subject.toLowerCase()).replace(/ ms$/, " (ms)");

export function show(main, room) {
  const administrator = room.who.role === "administrator";
  const waiting = h("div");
  const subjects = h("div");
  const past = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "All changes, scrolls" });
  put(main, h("div", { class: "pad past" }, h("h1", {}, "Changes"),
    h("p", { class: "muted" }, "What changes how the house is watched takes two administrators: one proposes it with a reason, another approves it. Both names and the time stay here and in the access log. Nobody approves an own proposal, nor does anybody who was added after it was made."),
    panel("waiting", "Waiting for a second person", waiting), panel("subjects", "What can be changed here", subjects),
    h("section", { class: "panel" }, h("h2", {}, "What cannot"), h("p", {}, "Limits of tables (minimum, maximum, differential, wagers on one area) come with each table's configuration from the floor. Rule documents come with a version of Tablewatch. Broker, store and addresses are set on the machines. They are not changed from here.")),
    panel("past", "All changes", past)));
  draw();

  async function draw() {
    let told;
    try {
      told = await get("/api/v1/changes");
    } catch (problem) {
      put(waiting, h("p", { class: "said" }, problem.message));
      return;
    }
    const open = told.changes.filter((each) => !each.decision);
    put(waiting, open.length ? h("ul", { class: "plain" }, open.map((each) => proposal(each))) : h("p", { class: "muted" }, "Nothing waits."));
    put(subjects, told.subjects.length ? h("ul", { class: "plain subjects" }, told.subjects.map((each) => subject(each, open))) : h("p", { class: "muted" }, "Nothing can be changed from this console."));
    put(past, told.changes.length ? stacked(h("table", {}, h("thead", {}, h("tr", {}, ["Proposed", "What", "From", "To", "Why", "By", "Decided", "By", "Note"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, told.changes.map((each) => h("tr", {}, h("td", {}, moment(each.proposed_at)), h("td", {}, nameOf(each.subject)), h("td", { class: "value" }, each.lines ? count(each.lines, "goes") : each.before), h("td", { class: "value" }, each.lines ? h("details", {}, h("summary", {}, count(each.lines, "comes")), lines(each.lines)) : each.after), h("td", {}, each.reason), h("td", {}, each.proposed_by),
        h("td", {}, each.decision ? `${words(each.decision)} ${moment(each.decided_at)}` : "waits"), h("td", {}, each.decided_by ?? "–"), h("td", {}, each.note ?? "")))))) : h("p", { class: "muted" }, "None yet."));
  }

  function proposal(each) {
    const own = each.proposed_by === room.who.name;
    const note = h("input", { "aria-label": "Note, needed to reject", placeholder: "Note (why not, to reject)", maxlength: 2000 });
    const reject = () => {
      if (note.value.trim()) return done(`/${each.id}/reject`, { note: note.value.trim() }, "Rejected.");
      room.say("Say in the note why it is rejected.");
      return note.focus();
    };
    return h("li", { class: "finding" }, h("p", { class: "words" }, nameOf(each.subject)),
      each.lines ? lines(each.lines) : h("p", { class: "value" }, h("code", {}, each.before || "–"), " → ", h("code", {}, each.after)),
      h("p", {}, `Proposed by ${each.proposed_by}, ${moment(each.proposed_at)}: `, each.reason),
      !administrator ? null : own
        ? h("div", { class: "tools" }, h("span", { class: "muted" }, "Another administrator must approve this."), h("button", { type: "button", onclick: () => done(`/${each.id}/withdraw`, undefined, "Withdrawn.") }, "Withdraw"))
        : h("div", { class: "tools" }, note, each.approvable
          ? h("button", { type: "button", class: "primary", onclick: () => done(`/${each.id}/approve`, { note: note.value.trim() }, "Approved and made.") }, "Approve")
          : h("span", { class: "muted" }, "You were added after this was proposed: somebody else approves it."),
        h("button", { type: "button", onclick: reject }, "Reject")));
  }

  function subject(each, open) {
    const waits = open.some((change) => change.subject === each.name);
    const field = each.kind === "text"
      ? h("textarea", { name: "value", rows: 12, spellcheck: "false", required: true, maxlength: 60000, value: each.current })
      : each.kind === "act" ? h("input", { name: "value", type: "hidden", value: "rotate" })
        : h("input", { name: "value", required: true, maxlength: 200, value: each.current, autocomplete: "off" });
    const form = h("form", { class: "change-form", onsubmit: (event) => {
      event.preventDefault();
      const given = new FormData(form);
      done("", { subject: each.name, value: each.kind === "text" ? String(given.get("value")) : String(given.get("value")).trim(), reason: String(given.get("reason")).trim() }, "Proposed. Another administrator must approve it.");
    } },
    each.kind === "act" ? [h("p", {}, "A new key is made, for which the one in use vouches."), field] : h("label", {}, h("span", {}, "New value"), field),
    h("label", {}, h("span", {}, "Reason"), h("input", { name: "reason", required: true, maxlength: 2000 })),
    h("button", { class: "primary", type: "submit" }, "Propose"));
    const may = administrator && !each.locked && !waits;
    return h("li", { class: "subject" }, h("div", { class: "subject-head" }, h("strong", {}, nameOf(each.name)), h("span", { class: "muted" }, each.title),
      each.kind === "text" && administrator ? null : h("code", {}, each.current || "–")),
    h("p", { class: "muted" }, coded(each.locked ? `Not from here: ${each.locked}.` : `Takes effect ${each.effect}.`), waits ? " A change of it waits." : ""),
    may ? h("details", {}, h("summary", {}, "Propose a change"), form) : null);
  }

  async function done(path, body, said) {
    try {
      await post(`/api/v1/changes${path}`, body);
      room.say(said);
      await draw();
    } catch (problem) {
      room.say(problem.message);
    }
  }
}

const SIGNS = { stays: "  ", goes: "− ", comes: "+ ", "left out": "⋯ " };

// In their order, with those around them: where a line stands tells whose it is.
const lines = (all) => h("pre", { class: "lines", tabindex: 0 }, all.map((line) => h("span", { class: line.fate.replace(" ", "-") }, `${SIGNS[line.fate]}${line.text}\n`)));

function count(all, fate) {
  const found = all.filter((line) => line.fate === fate).length;
  return `${SIGNS[fate]}${found} ${found === 1 ? "line" : "lines"}`;
}

function panel(id, title, body) {
  return h("section", { class: "panel", "aria-labelledby": `h-${id}` }, h("h2", { id: `h-${id}` }, title), body);
}
