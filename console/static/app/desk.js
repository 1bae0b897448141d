// The alert desk: a live queue, and one alert with what to look at, what to do, and what was done.

import { h, put, write } from "/public/dom.js";
import { get, passes, post } from "./api.js";
import { closedWords, lastClosedFirst } from "./closing.js";
import { askHandingOver, askResolution, askTakingOver, askWords } from "./desk-dialogs.js";
import { doneAt, factsOf } from "./desk-pane.js";
import { gathered, lineOf, rank } from "./desk-queue.js";
import { age, count, moment, SEVERITIES, tablePath, words } from "./format.js";

const SHOWN = 200;
const MAY = {
  acknowledge: ["operator", "shift_manager", "administrator"],
  take: ["operator", "shift_manager", "administrator"],
  "hand-over": ["operator", "shift_manager", "administrator"],
  "take-over": ["shift_manager", "administrator"],
  resolve: ["shift_manager", "administrator"],
  reopen: ["shift_manager", "auditor", "administrator"],
  note: ["operator", "shift_manager", "auditor", "administrator"],
};
// Those who must know that alerts come through.
const RESPONDING = ["shift_manager", "administrator"];
const SELF_TEST_MS = 60_000;
const ASKED_MS = 2000;

export function show(main, room) {
  const desk = new Desk(main, room);
  desk.begin();
  return () => desk.end();
}

class Desk {
  constructor(main, room) {
    Object.assign(this, { main, room, floor: room.floor, chosen: new URLSearchParams(location.search).get("alert"), detail: null, lines: new Map(), acts: new Set(), unfolded: new Set(), answers: new Map() });
  }

  begin() {
    const again = () => this.drawQueue();
    this.states = h("select", { "aria-label": "State", onchange: () => { this.stood = null; this.askClosed().then(() => this.leaveUnlisted()); } }, [["open", "Open"], ["mine", "Mine"], ["unattended", "Nobody at it"], ["closed", "Closed"]].map(([value, text]) => h("option", { value }, text)));
    this.severity = h("select", { "aria-label": "Severity", onchange: () => { again(); this.leaveUnlisted(); } }, h("option", { value: "" }, "All severities"), SEVERITIES.map((each) => h("option", { value: each }, words(each))));
    this.filter = h("input", { type: "search", placeholder: "Table, code, pit…", "aria-label": "Filter alerts", oninput: again });
    this.total = h("strong", { id: "total" });
    this.selfTest = h("small", { id: "self-test", class: "muted", role: "status" });
    this.queue = h("ul", { class: "queue", "aria-label": "Alerts" });
    this.more = h("p", { class: "muted pad" });
    this.pane = h("section", { class: "alert-pane panel", "aria-label": "Alert", tabindex: -1 });
    this.handing = h("button", { type: "button", onclick: () => this.handOverAll() }, "Hand over my alerts");
    put(this.main, h("h1", { class: "visually-hidden" }, "Alert desk"),
      h("div", { class: "tools desk-tools" }, this.total, this.selfTest, h("span", { class: "grow" }), this.filter, this.states, this.severity, this.may("hand-over") ? this.handing : null),
      h("div", { class: "desk" }, h("div", { class: "queue-side" }, this.queue, this.more), this.pane));
    this.onAlerts = () => this.soon();
    this.onSecond = () => this.grow();
    this.onKey = (event) => this.key(event);
    this.floor.addEventListener("alerts", this.onAlerts);
    this.floor.addEventListener("second", this.onSecond);
    document.addEventListener("keydown", this.onKey);
    this.closed = [];
    if (RESPONDING.includes(this.room.who.role)) {
      this.askSelfTest();
      this.asking = setInterval(() => this.askSelfTest(), SELF_TEST_MS);
    }
    this.drawQueue();
    this.drawPane();
    if (this.chosen) this.open(this.chosen);
  }

  end() {
    this.floor.removeEventListener("alerts", this.onAlerts);
    this.floor.removeEventListener("second", this.onSecond);
    document.removeEventListener("keydown", this.onKey);
    clearTimeout(this.waiting);
    clearInterval(this.asking);
    clearTimeout(this.later);
    this.chosen = null;
    document.body.classList.remove("pane-open");
  }

  may(deed) {
    return MAY[deed].includes(this.room.who.role);
  }

  // Alerts that come in a burst are drawn once.
  soon() {
    if (this.waiting) return;
    this.waiting = setTimeout(() => {
      this.waiting = null;
      this.drawQueue();
      if (this.behind()) this.open(this.chosen, { still: true });
    }, 250);
  }

  // Whether the stream has told of something that the pane does not show.
  behind() {
    const fresh = this.floor.alerts.get(this.chosen);
    if (!fresh || this.detail?.id !== fresh.id || fresh.steps_so_far < this.detail.steps_so_far) return false;
    // A note of somebody else changes nothing but the number of steps.
    return fresh.steps_so_far > this.detail.steps_so_far || ["state", "holder", "escalations", "game", "pit", "message"].some((name) => fresh[name] !== this.detail[name]);
  }

  // An answer that was overtaken by a later one changes nothing.
  know(detail) {
    if (this.chosen !== detail.id || (this.detail?.id === detail.id && this.detail.steps && detail.steps_so_far < this.detail.steps_so_far)) return false;
    this.detail = detail;
    return true;
  }

  async askSelfTest() {
    const { outcome, at } = await get("/api/v1/self-test").catch(() => ({ outcome: "unknown" }));
    write(this.selfTest, { passed: `Self-test passed ${moment(at)}`, failed: `✗ Self-test FAILED ${moment(at)}`, none: "No self-test in the last day" }[outcome] ?? "");
    this.selfTest.className = outcome === "failed" ? "sev critical" : "muted";
  }

  async askClosed() {
    if (this.states.value === "closed") {
      try {
        this.closed = (await get("/api/v1/alerts?state=closed&count=500")).alerts;
      } catch (problem) {
        this.room.say(problem.message);
      }
    }
    this.drawQueue();
  }

  // Taken or handed over to me, or acknowledged by me while nobody has taken it.
  mine(alert) {
    const me = this.room.who.name;
    return alert.holder === me || (alert.state === "acknowledged" && alert.acknowledged?.by === me);
  }

  // Whether an alert belongs to the list that is chosen.
  listed(alert) {
    const state = this.states.value;
    const text = this.filter.value.trim().toLowerCase();
    return alert.open === (state !== "closed") &&
      (state !== "mine" || this.mine(alert)) &&
      (state !== "unattended" || ["raised", "reopened", "escalated"].includes(alert.state)) &&
      (!this.severity.value || alert.severity === this.severity.value) &&
      (!text || `${alert.table} ${alert.tables} ${alert.code} ${alert.pit} ${alert.message} ${alert.holder} ${alert.closed?.by ?? ""}`.toLowerCase().includes(text));
  }

  wanted() {
    const closed = this.states.value === "closed";
    // What was asked for is of that moment; what others close or reopen since is streamed.
    const known = closed ? new Map([...this.closed.map((alert) => [alert.id, alert]), ...this.floor.alerts]) : this.floor.alerts;
    return [...known.values()].filter((alert) => this.listed(alert))
      .sort(closed ? lastClosedFirst : (one, other) => rank(one) - rank(other) || other.raised - one.raised);
  }

  drawQueue() {
    const alerts = this.wanted();
    const lines = gathered(alerts, this.unfolded, this.chosen).slice(0, SHOWN);
    this.shown = lines.map(({ alert }) => alert);
    write(this.total, `${count(alerts.length)} ${this.states.selectedOptions[0].textContent.toLowerCase()}`);
    const hidden = lines.reduce((left, { folded }) => left - 1 - folded, alerts.length);
    const beyond = this.states.value === "open" ? this.floor.openAlerts - [...this.floor.alerts.values()].filter((each) => each.open).length : 0;
    write(this.more, hidden + Math.max(0, beyond) > 0 ? `${count(hidden + Math.max(0, beyond))} more: narrow the filter.` : alerts.length ? "" : this.floor.ready ? "Nothing here." : "Waiting for the floor…");
    const drawn = new Map();
    for (const each of lines) {
      const { alert } = each;
      const state = `${alert.state}|${alert.holder}|${alert.message}|${alert.escalations}|${alert.escalates?.at}|${alert.closed?.at}|${each.under}|${each.more}|${each.folded}`;
      let line = this.lines.get(alert.id);
      if (!line || line.state !== state) line = { ...lineOf(this, each), state, alert };
      drawn.set(alert.id, line);
    }
    this.lines = drawn;
    const nodes = [...drawn.values()].map((line) => line.node);
    if (nodes.length !== this.queue.children.length || nodes.some((node, place) => node !== this.queue.children[place])) {
      const { alert: focused, more } = document.activeElement?.dataset ?? {};
      put(this.queue, nodes);
      if (focused) this.queue.querySelector(`[data-alert="${focused}"]`)?.focus();
      if (more) [...this.queue.querySelectorAll("[data-more]")].find((button) => button.dataset.more === more)?.focus();
    }
    this.mark();
    this.grow();
  }

  unfold(key) {
    if (!this.unfolded.delete(key)) this.unfolded.add(key);
    this.drawQueue();
  }

  grow() {
    const now = this.floor.now();
    for (const { alert, clock } of this.lines.values()) {
      const left = alert.escalates ? alert.escalates.at - now : NaN;
      write(clock, alert.closed ? `closed ${age(now - alert.closed.at)} ago` : left > 0 ? `${age(now - alert.raised)} · ${age(left)} left` : age(now - alert.raised));
      clock.classList.toggle("late", alert.open && ["raised", "reopened", "escalated"].includes(alert.state) && now - alert.raised > 60_000);
    }
    if (this.detail && this.waited) write(this.waited, this.waitWords());
  }

  mark() {
    for (const button of this.queue.querySelectorAll("[data-alert]")) {
      if (button.dataset.alert === this.chosen) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  // Whoever is shown it still, as something came to it, does not look at it once more.
  async open(id, { focus = false, still = false } = {}) {
    if (this.stood?.id !== id) this.stood = null;
    this.chosen = id;
    // One of a device's that are folded stands in the queue while it is chosen.
    this.drawQueue();
    history.replaceState(null, "", `/desk?alert=${id}`);
    if (this.detail?.id !== id) {
      // What the queue knows is shown at once, so that no key or click meets the alert before it while the steps are asked for.
      const known = this.floor.alerts.get(id) ?? this.closed.find((alert) => alert.id === id);
      this.detail = known ? { ...known, steps: null } : null;
      this.drawPane("…");
    }
    if (this.detail) this.showPane();
    try {
      this.know(await get(`${path(id)}${still ? "?still=true" : ""}`));
    } catch (problem) {
      if (this.chosen !== id) return;
      // While the store is away, what the topic told is still here.
      const fresh = this.floor.alerts.get(id);
      const known = fresh && !(this.detail?.steps_so_far > fresh.steps_so_far) ? fresh : this.detail;
      this.detail = known ? { ...known, steps: this.detail?.steps ?? null, without: problem.message } : null;
      if (!known) this.room.say(problem.message);
      if (passes(problem)) this.askLater(id);
    }
    if (this.chosen !== id) return;
    this.drawPane();
    if (this.behind()) this.soon();
    this.showPane();
    // Where it scrolls to by itself, the bar lies over the head of the pane.
    if (focus) this.pane.focus({ preventScroll: true });
  }

  // Until an answer comes, or the pane shows something else.
  askLater(id) {
    clearTimeout(this.later);
    this.later = setTimeout(async () => {
      const awaited = () => this.chosen === id && (!this.detail || this.detail.without);
      if (!awaited()) return;
      const { answer, problem } = await get(`${path(id)}?still=true`).then((answer) => ({ answer }), (problem) => ({ problem }));
      if (!awaited()) return;
      if (answer && this.know(answer)) this.drawPane();
      else if (answer || passes(problem)) this.askLater(id);
      else this.open(id, { still: true });
    }, ASKED_MS);
  }

  // On a phone the pane stands in the place of the queue: from its head, and back to where the queue was.
  showPane() {
    const { classList } = document.body;
    if (classList.contains("pane-open")) return;
    this.queueAt = scrollY;
    classList.add("pane-open");
    if (getComputedStyle(this.queue.parentElement).display === "none") scrollTo(0, 0);
  }

  hidePane() {
    document.body.classList.remove("pane-open");
    scrollTo(0, this.queueAt);
  }

  // What is not in the list that was changed to does not stay beside it. None is opened in its place: every look is logged.
  leaveUnlisted() {
    // After an act the pane knows more than the stream has told.
    const told = this.floor.alerts.get(this.chosen);
    const known = told?.steps_so_far > this.detail?.steps_so_far ? told : this.detail;
    if (!this.chosen || (known && this.listed(known))) return;
    Object.assign(this, { chosen: null, detail: null, stood: null });
    history.replaceState(null, "", "/desk");
    document.body.classList.remove("pane-open");
    this.mark();
    this.drawPane();
  }

  waitWords() {
    const alert = this.detail;
    const again = alert.steps?.findLast((step) => step.action === "reopened");
    const old = age(this.floor.now() - alert.raised);
    const unseen = again ? `${age(this.floor.now() - again.at)} since it was opened again` : old;
    if (alert.closed) return closedWords(alert);
    const has = alert.holder ? `${alert.holder} has it; ` : "";
    if (alert.acknowledged) return `Acknowledged by ${alert.acknowledged.by} ${age(alert.acknowledged.at - alert.raised)} after it was raised; ${has}open for ${old}.`;
    const told = alert.escalations ? `; escalated ${alert.escalations}×` : "";
    if (!alert.escalates) return `Nobody has acknowledged it for ${unseen}${told}.`;
    const left = alert.escalates.at - this.floor.now();
    const calls = alert.escalates.to.map(words).join(", ");
    return `Nobody has acknowledged it for ${unseen}${told}. ${left > 0 ? `In ${age(left)} it calls` : "It is calling"} ${calls}.`;
  }

  // Somebody else has taken it.
  isElsewhere(alert) {
    return alert.open && alert.state === "taken" && alert.holder !== this.room.who.name;
  }

  get hint() {
    const keys = [["acknowledge", "a acknowledges"], ["take", "t takes"], ["resolve", "r resolves"]].filter(([deed]) => this.may(deed));
    return `Choose an alert. Keys: ${["j and k move", ...keys.map(([, does]) => does)].join(", ")}.`;
  }

  drawPane(without = this.hint) {
    const alert = this.detail;
    if (!alert) {
      put(this.pane, h("p", { class: "muted" }, without));
      return;
    }
    const deed = (name, label, does, kind) => this.may(name) ? h("button", { type: "button", class: kind, "data-deed": name, onclick: does }, label) : null;
    const unattended = ["raised", "reopened", "escalated"].includes(alert.state);
    // Whoever may not take it over from him cannot hand it over either.
    const elsewhere = this.isElsewhere(alert);
    this.waited = h("p", { class: unattended ? "waited late" : "waited" }, this.waitWords());
    put(this.pane,
      h("div", { class: "pane-head" }, h("button", { type: "button", class: "back", onclick: () => this.hidePane() }, "‹ Queue"),
        h("h2", {}, h("span", { class: `sev ${alert.severity}` }, alert.code), alert.table ? h("a", { href: tablePath(alert.table) }, alert.table) : null)),
      h("p", { class: "message" }, alert.message),
      alert.without ? h("p", { class: "event" }, `${alert.without} ${alert.steps ? "Steps since then" : "The steps so far"} cannot be shown.`) : null,
      this.waited,
      h("div", { class: "deeds" },
        alert.open && unattended ? deed("acknowledge", "Acknowledge (a)", () => this.act("acknowledge"), "primary") : null,
        alert.open && alert.state !== "taken" ? deed("take", "Take (t)", () => this.act("take"), unattended ? "" : "primary") : null,
        elsewhere ? deed("take-over", "Take over", () => askTakingOver(this, alert), "primary")
          : alert.open ? deed("resolve", "Resolve (r)", () => askResolution(this), alert.state === "taken" ? "primary" : "") : deed("reopen", "Reopen", () => askWords(this, "reopen", "Why is it opened again?"), ""),
        alert.open && !unattended && !(elsewhere && !this.may("take-over")) ? deed("hand-over", "Hand over", () => askHandingOver(this, [alert]), "") : null,
        deed("note", "Add a note", () => askWords(this, "note", "Note"), "")),
      factsOf(alert, this.room), doneAt(alert));
  }

  async act(deed) {
    const problem = await this.attempt(deed);
    if (problem) this.room.say(problem);
  }

  // Why it could not be done, if so.
  async attempt(deed, body) {
    const id = this.chosen;
    // What is seen to goes to the end of the queue, or out of it; the keys go on from where it stood.
    const place = this.shown.findIndex((alert) => alert.id === id);
    if (place >= 0 && this.stood?.id !== id) this.stood = { id, j: this.shown[place + 1]?.id, k: this.shown[place - 1]?.id };
    try {
      const act = post(`${path(id)}/${deed}`, body).then((answer) => (this.answers.set(id, answer), answer));
      this.acts.add(act);
      if (this.know(await act.finally(() => this.acts.delete(act)))) this.drawPane();
      // The closed ones are asked for and not streamed: what was reopened is none of them any more.
      if (this.states.value === "closed") {
        await this.askClosed();
        if (deed === "reopen") this.room.say("It is open again, and stands among the open alerts.");
      }
    } catch (problem) {
      if (problem.status === 504) {
        // It may count: what was written is with the server, and done again it would be another act.
        this.room.uncertain.watch();
        this.room.say(problem.message);
        return "";
      }
      // What a dialog asked for stays in it, with what was typed.
      if (!problem.status && !body) this.room.uncertain.miss({ alert: id, deed, ...placeOf(this.floor.alerts.get(id) ?? this.detail) });
      // Somebody was first, or the store is away: say so, and show how it stands.
      if (problem.status === 409) await this.open(id);
      return problem.message;
    }
    return "";
  }

  async handOverAll() {
    // What is just being taken is handed over as well; its answer may be here before the stream tells of it.
    await Promise.allSettled(this.acts);
    const newest = (alert) => this.answers.get(alert.id)?.steps_so_far > alert.steps_so_far ? this.answers.get(alert.id) : alert;
    const mine = [...this.floor.alerts.values()].map(newest).filter((alert) => alert.open && this.mine(alert));
    if (!mine.length) {
      this.room.say("You have no open alert to hand over.");
      return;
    }
    await askHandingOver(this, mine);
  }

  key(event) {
    if (event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = this.shown.findIndex((alert) => alert.id === this.chosen);
    if (event.key === "j" || event.key === "k") {
      const beside = this.stood?.id === this.chosen ? this.shown.find((alert) => alert.id === this.stood[event.key]) : null;
      const next = beside ?? this.shown[place + (event.key === "j" ? 1 : -1)] ?? (place < 0 ? this.shown[0] : null);
      if (next) {
        this.open(next.id);
        this.queue.querySelector(`[data-alert="${next.id}"]`)?.focus();
      }
      return;
    }
    const deed = { a: "acknowledge", t: "take", r: "resolve" }[event.key];
    if (!deed || !this.detail) return;
    const button = this.pane.querySelector(`[data-deed="${deed}"]`);
    if (button) button.click();
    else if (this.may(deed) && this.isElsewhere(this.detail)) this.room.say(`${this.detail.holder} has taken this alert${this.may("take-over") ? ": take it over first." : "."}`);
  }
}

const path = (id) => `/api/v1/alerts/${encodeURIComponent(id)}`;

const placeOf = (alert) => ({ code: alert?.code, table: alert?.table });
