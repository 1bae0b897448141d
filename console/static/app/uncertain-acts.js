// What one did while the store or the console did not answer: asked for until it is known whether it counts, and told
// then.

import { h } from "/public/dom.js";
import { get, passes, remove } from "./api.js";
import { moment, words } from "./format.js";

const ASKED_MS = 2000;
const MISSED = "tablewatch.missed";
// What the alert says of an act that came through all the same, its answer lost.
const DONE = { acknowledge: "acknowledged", take: "taken" };
// The page's reckoning of the console's clock is not exact.
const CLOCK_MS = 5000;

export class UncertainActs extends EventTarget {
  constructor(say, now) {
    super();
    Object.assign(this, { say, now, me: "", lost: [], missed: [], known: "[]", told: new Set() });
  }

  begin(me) {
    this.me = me;
    // Somebody else may have sat at this tab before.
    this.missed = JSON.parse(sessionStorage.getItem(MISSED) ?? "[]").filter((act) => act.by === me);
    this.dispatchEvent(new Event("change"));
    this.watch();
  }

  // An act that did not come to the console, as far as this page knows: `{ alert, deed, code, table }`.
  miss(act) {
    const others = this.missed.filter((each) => each.alert !== act.alert || each.deed !== act.deed);
    this.keep([...others, { ...act, by: this.me, at: this.now(), asked: false }]);
    this.watch();
  }

  keep(missed) {
    this.missed = missed;
    sessionStorage.setItem(MISSED, JSON.stringify(missed));
    this.dispatchEvent(new Event("change"));
  }

  // The alert itself tells whether it has the act.
  async askOf(act) {
    const alert = await get(`/api/v1/alerts/${encodeURIComponent(act.alert)}?still=true`).catch((problem) => passes(problem) ? null : { steps: [] });
    if (!alert || !this.missed.includes(act)) return;
    const others = this.missed.filter((each) => each !== act);
    const came = alert.steps.some((step) => step.by === act.by && step.action === DONE[act.deed] && step.at >= act.at - CLOCK_MS);
    this.keep(came ? others : [...others, { ...act, asked: true }]);
    if (came) this.say(`The console has it: ${inWords(act)} counts.`);
  }

  // Once at first, in case the page was loaded anew meanwhile; again whenever an act was left uncertain.
  async watch() {
    clearTimeout(this.waiting);
    const acts = await get("/api/v1/uncertain-acts").catch(() => null);
    // As long as the console itself does not answer, nothing is known.
    if (acts) for (const act of this.missed.filter((each) => !each.asked)) await this.askOf(act);
    clearTimeout(this.waiting);
    if (!acts || acts.some((act) => act.outcome === "uncertain") || this.missed.some((each) => !each.asked)) this.waiting = setTimeout(() => this.watch(), ASKED_MS);
    if (acts) this.take(acts);
  }

  take(acts) {
    for (const act of acts) {
      if (act.outcome !== "counts" || this.told.has(act.id)) continue;
      this.told.add(act.id);
      this.say(`The store has it now: ${inWords(act)} counts.`);
      remove(path(act)).catch(() => null);
    }
    this.lost = acts.filter((act) => act.outcome === "does not count" && !this.told.has(act.id));
    const known = JSON.stringify(this.lost);
    if (known !== this.known) this.dispatchEvent(new Event("change"));
    this.known = known;
  }

  // They stay until whoever did it says that he has seen it: nobody may have looked when it was known.
  notices() {
    const missed = this.missed.map((act) => notice(act, `Does not count${act.asked ? "" : ", as far as is known"}: ${inWords(act)} — the console could not be reached.`,
      () => this.keep(this.missed.filter((each) => each !== act))));
    return [...missed, ...this.lost.map((act) => notice(act, [`Does not count: ${inWords(act)} — ${act.reason.replace(/\.$/, "")}.`, act.note ? ` Your note was: “${act.note}”` : ""], () => this.seen(act)))];
  }

  async seen(act) {
    this.told.add(act.id);
    this.take(this.lost);
    await remove(path(act)).catch(() => null);
  }
}

const notice = (act, said, seen) => h("p", { class: "notice bad act" }, h("span", {}, said), " ",
  h("a", { href: `/desk?alert=${act.alert}` }, "Look at it"), " ",
  h("button", { type: "button", onclick: seen }, "Seen"));

const path = (act) => `/api/v1/uncertain-acts/${act.id}`;

const inWords = (act) => `“${words(act.deed).toLowerCase()}” of ${moment(act.at)} at ${[act.code, act.table].filter(Boolean).join(" of ") || "an alert"}`;
