// Plays the moments of a round: in the pace it happened or faster, step by step, by mouse, finger or keyboard.

import { h, put, write } from "/public/dom.js";
import { SEVERITIES } from "./format.js";

const SPEEDS = [0.5, 1, 2, 4, 10];
const SHORTEST_MS = 40;

export class Playback {
  // moments: of a story; see: called with the place of the moment that is shown.
  constructor(moments, severities, see) {
    Object.assign(this, { moments, severities, see, place: 0, timer: null, speed: 1 });
    this.node = this.draw();
  }

  draw() {
    const button = (label, text, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    this.playing = h("button", { type: "button", class: "primary play", onclick: () => this.toggle() }, "▶ Play");
    this.range = h("input", {
      type: "range", class: "scrubber", min: 0, max: this.moments.length - 1, step: 1, value: 0,
      "aria-label": "Moment of the round", oninput: () => { this.pause(); this.go(Number(this.range.value)); },
    });
    this.pace = h("select", { "aria-label": "Speed", onchange: () => this.setSpeed(Number(this.pace.value)) },
      SPEEDS.map((speed) => h("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
    this.clock = h("output", { class: "number clock-of-round" });
    this.marks = h("div", { class: "marks" }, this.moments.map((moment, place) => this.mark(moment, place)));
    return h("div", { class: "playback", role: "group", "aria-label": "Playback" },
      this.marks, this.range,
      h("div", { class: "tools" },
        button("First moment", "|◀", () => this.step(-this.place)), button("One moment back", "◀", () => this.step(-1)),
        this.playing, button("One moment on", "▶", () => this.step(1)),
        button("Last moment", "▶|", () => this.step(this.moments.length)),
        button("Next finding", "Next finding", () => this.nextFinding()),
        h("label", {}, "Speed", this.pace), this.clock,
        h("span", { class: "muted keys" }, "Space plays, ← → step, Home and End, F next finding, + − speed")));
  }

  mark(moment, place) {
    const worst = SEVERITIES.find((severity) => moment.findings.some((id) => this.severities.get(id) === severity));
    return h("button", {
      type: "button", tabindex: -1, class: `mark kind-${moment.kind}${worst ? ` sev ${worst}` : ""}`, title: moment.words,
      "aria-label": `Moment ${place + 1}: ${moment.words}`, onclick: () => { this.pause(); this.go(place); },
    });
  }

  go(place) {
    this.place = Math.max(0, Math.min(this.moments.length - 1, place));
    const moment = this.moments[this.place];
    this.range.value = this.place;
    this.range.setAttribute("aria-valuetext", moment.words);
    write(this.clock, `${(moment.after / 1e6).toFixed(1)} s of ${(this.moments.at(-1).after / 1e6).toFixed(1)} s · ${this.place + 1} / ${this.moments.length}`);
    for (const [each, node] of [...this.marks.children].entries()) {
      node.classList.toggle("past", each <= this.place);
      if (each === this.place) node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
    }
    this.see(this.place);
  }

  step(by) {
    this.pause();
    this.go(this.place + by);
  }

  nextFinding() {
    this.pause();
    const later = this.moments.findIndex((moment, place) => place > this.place && moment.findings.length);
    const first = this.moments.findIndex((moment) => moment.findings.length);
    if (first >= 0) this.go(later >= 0 ? later : first);
  }

  toggle() {
    if (this.timer !== null) this.pause();
    else this.play();
  }

  play() {
    if (this.place === this.moments.length - 1) this.go(0);
    put(this.playing, "‖ Pause");
    this.node.classList.add("on");
    this.next();
  }

  next() {
    const now = this.moments[this.place];
    const following = this.moments[this.place + 1];
    if (!following) {
      this.pause();
      return;
    }
    const wait = Math.max(SHORTEST_MS, (following.at - now.at) / 1000 / this.speed);
    this.timer = setTimeout(() => { this.go(this.place + 1); this.next(); }, wait);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.node.classList.remove("on");
    put(this.playing, "▶ Play");
  }

  setSpeed(speed) {
    this.speed = speed;
    this.pace.value = String(speed);
    if (this.timer !== null) {
      clearTimeout(this.timer);
      this.next();
    }
  }

  key(event) {
    const faster = { "+": 1, "=": 1, "-": -1 }[event.key];
    if (faster) this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + faster))]);
    else if (event.key === " ") this.toggle();
    else if (event.key === "ArrowRight") this.step(1);
    else if (event.key === "ArrowLeft") this.step(-1);
    else if (event.key === "Home") this.step(-this.place);
    else if (event.key === "End") this.step(this.moments.length);
    else if (event.key === "f" || event.key === "F") this.nextFinding();
    else return;
    event.preventDefault();
  }
}
