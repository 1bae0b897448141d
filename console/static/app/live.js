// The floor as it is told: one stream for the whole page, whichever screen is shown.

import { signInAgain } from "./signed-out.js";

const STALE_MS = 5000;

export class LiveFloor extends EventTarget {
  constructor() {
    super();
    this.tables = new Map();
    this.alerts = new Map();
    this.openAlerts = 0;
    this.status = null;
    this.ready = false;
    this.offset = 0;
    this.told = 0;
    this.changed = new Set();
    this.scheduled = false;
    this.whole = false;
  }

  start() {
    this.connect();
    setInterval(() => this.dispatchEvent(new Event("second")), 1000);
  }

  connect() {
    this.source = new EventSource("/api/v1/floor/stream");
    this.source.addEventListener("snapshot", (event) => this.take(JSON.parse(event.data), true));
    this.source.addEventListener("delta", (event) => this.take(JSON.parse(event.data), false));
    this.source.addEventListener("ended", () => signInAgain());
    this.source.addEventListener("error", () => {
      // A stream that the browser gives up was refused: the session has ended.
      if (this.source.readyState === EventSource.CLOSED) this.again();
    });
  }

  async again() {
    const answer = await fetch("/api/v1/session").catch(() => null);
    if (answer?.status === 401) signInAgain();
    else setTimeout(() => this.restart(), 2000);
  }

  restart() {
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.connect();
  }

  // The console's clock, so that ages are right on a machine whose own clock is not.
  now() {
    return Date.now() + this.offset;
  }

  // While nothing is heard from the console itself, nothing is known of who is heard.
  heardTo() {
    return this.stale ? this.told + this.offset : this.now();
  }

  get stale() {
    return !this.told || Date.now() - this.told > STALE_MS;
  }

  // Why results and what was found are not of now, if so.
  get unjudged() {
    const { feed, workers } = this.status ?? {};
    if (feed?.state === "away") return "nothing new is heard";
    if (workers?.state === "away" || workers?.state === "stopped") return "nobody judges";
    return workers?.state === "behind" ? "judging is behind" : "";
  }

  get silence() {
    return this.told ? Date.now() - this.told : NaN;
  }

  take(news, whole) {
    this.told = Date.now();
    this.offset = news.at - this.told;
    if (whole) {
      this.tables.clear();
      this.alerts.clear();
    }
    for (const [name, row] of Object.entries(news.tables)) {
      const known = this.tables.get(name);
      if (known) Object.assign(known, row);
      else this.tables.set(name, { name, ...row });
      this.changed.add(name);
    }
    const fresh = [];
    for (const alert of news.alerts) {
      const known = this.alerts.get(alert.id);
      // One that is opened again is new to all who thought it done.
      const again = alert.state === "reopened" && known?.state !== "reopened";
      if (!whole && alert.open && (!known?.open || again)) fresh.push(alert);
      this.alerts.set(alert.id, alert);
    }
    this.openAlerts = news.open_alerts;
    this.status = news.status;
    this.ready = news.status.whole;
    if (fresh.length) this.dispatchEvent(new CustomEvent("raised", { detail: fresh }));
    if (news.alerts.length || whole) this.dispatchEvent(new Event("alerts"));
    this.dispatchEvent(new Event("status"));
    this.whole = this.whole || whole;
    this.schedule();
  }

  // Frames that come faster than the screen draws are drawn once.
  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      const detail = { changed: this.changed, whole: this.whole };
      this.changed = new Set();
      this.whole = false;
      this.dispatchEvent(new CustomEvent("tables", { detail }));
    });
  }
}
