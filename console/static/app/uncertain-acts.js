// What one did while the store did not answer: asked for until it is known whether it counts, and told then.

import { h } from "/public/dom.js";
import { get, remove } from "./api.js";
import { moment, words } from "./format.js";

const ASKED_MS = 2000;

export class UncertainActs extends EventTarget {
  constructor(say) {
    super();
    Object.assign(this, { say, lost: [], known: "[]", told: new Set() });
  }

  // Once at first, in case the page was loaded anew meanwhile; again whenever an act was left uncertain.
  async watch() {
    clearTimeout(this.waiting);
    const acts = await get("/api/v1/uncertain-acts").catch(() => null);
    // As long as the console itself does not answer, nothing is known.
    if (!acts || acts.some((act) => act.outcome === "uncertain")) this.waiting = setTimeout(() => this.watch(), ASKED_MS);
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
    return this.lost.map((act) => h("p", { class: "notice bad act" },
      h("span", {}, `Does not count: ${inWords(act)} — ${act.reason.replace(/\.$/, "")}.`, act.note ? ` Your note was: “${act.note}”` : ""), " ",
      h("a", { href: `/desk?alert=${act.alert}` }, "Look at it"), " ",
      h("button", { type: "button", onclick: () => this.seen(act) }, "Seen")));
  }

  async seen(act) {
    this.told.add(act.id);
    this.take(this.lost);
    await remove(path(act)).catch(() => null);
  }
}

const path = (act) => `/api/v1/uncertain-acts/${act.id}`;

const inWords = (act) => `“${words(act.deed).toLowerCase()}” of ${moment(act.at)} at ${[act.code, act.table].filter(Boolean).join(" of ") || "an alert"}`;
