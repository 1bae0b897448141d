// The wall: every table at a glance, worst first or by pit. Only the tiles in sight are in the document, so that a
// thousand tables cost no more than a screenful.

import { h, put, write } from "/public/dom.js";
import { age, count, gameTitle, SEVERITIES, tablePath } from "./format.js";

const TILE = { width: 218, height: 126, gap: 8, heading: 34 };
const BIG = { width: 330, height: 196, gap: 12, heading: 48 };
const QUIET_MS = 30_000;
const SORT_MS = 1000;
const KEY = "tablewatch.wall";
const words = new Intl.Collator("en", { numeric: true });

export function show(main, room) {
  return new Wall(main, room).begin();
}

class Wall {
  constructor(main, room) {
    this.main = main;
    this.room = room;
    this.floor = room.floor;
    this.tiles = new Map();
    this.rows = [];
    this.order = [];
    this.sorted = 0;
    this.focused = null;
    this.kept = { order: "worst", pit: "", only: "all", ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  }

  begin() {
    this.filter = h("input", { type: "search", id: "filter", placeholder: "Table, game…", "aria-label": "Filter tables", oninput: () => this.lay() });
    this.order_ = this.choice("order", "Order", [["worst", "Worst first"], ["pit", "By pit"], ["name", "By table"]]);
    this.pit_ = this.choice("pit", "Pit", [["", "All pits"]]);
    this.only_ = this.choice("only", "Show", [["all", "All tables"], ["found", "With open alerts"], ["quiet", "Not heard, or a device silent"]]);
    this.bigButton = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.big() }, "Big screen");
    this.summary = h("div", { class: "summary", id: "summary" });
    this.grid = h("div", { class: "grid", role: "list", "aria-label": "Tables" });
    this.empty = h("p", { class: "pad muted" }, "Waiting for the floor…");
    this.tools = h("div", { class: "tools wall-tools" }, this.summary, h("span", { class: "grow" }), this.filter, this.order_, this.pit_, this.only_, this.bigButton);
    put(this.main, h("h1", { class: "visually-hidden" }, "Wall"), this.tools,
      this.empty, this.grid);
    const listening = [
      [this.floor, "tables", (event) => this.update(event.detail)],
      [this.floor, "second", () => this.tick()],
      [window, "scroll", () => this.draw()],
      [window, "resize", () => this.lay()],
      [document, "keydown", (event) => this.key(event)],
      [document, "fullscreenchange", () => { if (!document.fullscreenElement) this.big(false); }],
    ];
    for (const [target, name, does] of listening) target.addEventListener(name, does);
    if (this.floor.told) this.lay();
    return () => {
      for (const [target, name, does] of listening) target.removeEventListener(name, does);
    };
  }

  choice(name, label, options) {
    const select = h("select", { "aria-label": label, onchange: () => {
      this.kept[name] = select.value;
      localStorage.setItem(KEY, JSON.stringify(this.kept));
      this.lay();
    } }, options.map(([value, text]) => h("option", { value, selected: value === this.kept[name] }, text)));
    return select;
  }

  get size() {
    return document.body.classList.contains("big") ? BIG : TILE;
  }

  update({ changed, whole }) {
    if (whole || performance.now() - this.sorted > SORT_MS) {
      this.lay();
    }
    for (const name of changed) {
      const tile = this.tiles.get(name);
      if (tile) fill(tile, this.floor.tables.get(name), this.beads);
    }
  }

  tick() {
    const now = this.floor.now();
    for (const [name, tile] of this.tiles) grow(tile, this.floor.tables.get(name), now, this.floor);
    this.tell();
  }

  tell() {
    const found = { critical: 0, high: 0, medium: 0, low: 0 };
    let quiet = 0;
    // All others that are open, so that the wall's numbers make the desk's: a filter that was forgotten must not hide
    // that there are any, nor must those be missed that are of no table, as a self-test that failed is.
    let elsewhere = this.floor.openAlerts;
    const now = this.floor.heardTo();
    const shown = new Set(this.order);
    for (const row of this.floor.tables.values()) {
      if (!shown.has(row.name)) continue;
      SEVERITIES.forEach((severity, place) => { found[severity] += row.findings[place]; elsewhere -= row.findings[place]; });
      if (now - row.heard > QUIET_MS) quiet += 1;
    }
    const text = JSON.stringify([this.floor.tables.size, this.order.length, found, quiet, elsewhere]);
    if (text === this.told) return;
    this.told = text;
    put(this.summary,
      h("strong", {}, this.order.length === this.floor.tables.size ? `${count(this.floor.tables.size)} tables` : `${count(this.order.length)} of ${count(this.floor.tables.size)} tables`),
      SEVERITIES.map((severity) => marked(severity, found[severity], true)),
      // Not "silent": that is a device while others at its table go on, and stands in its tile.
      // Nor with the mark of a severity: these are no alerts.
      h("span", { class: "muted", title: `Tables of which nothing has come for ${QUIET_MS / 1000} s` }, `${quiet ? "○ " : ""}${count(quiet)} not heard`),
      elsewhere > 0 ? h("span", { class: "muted", id: "elsewhere", title: "Open alerts of tables that the filter leaves out, and of no table" }, `${count(elsewhere)} elsewhere`) : null);
  }

  // Which tables are shown, and in which order.
  lay() {
    this.sorted = performance.now();
    const wanted = this.filter.value.trim().toLowerCase();
    const now = this.floor.heardTo();
    this.rankNames();
    const { order, pit, only } = this.kept;
    const found = [];
    for (const row of this.floor.tables.values()) {
      if (pit && row.pit !== pit) continue;
      if (only === "found" && !row.findings.some(Boolean)) continue;
      if (only === "quiet" && !(now - row.heard > QUIET_MS || row.devices[1])) continue;
      if (wanted && !`${row.name} ${gameTitle(row.game)} ${row.pit ?? ""} ${row.state}`.toLowerCase().includes(wanted)) continue;
      const rank = this.ranks.get(row.name);
      found.push([order === "worst" ? -badness(row, now) : order === "pit" ? rank[0] : 0, rank[1], row]);
    }
    found.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
    const rows = found.map((each) => each[2]);
    const names = rows.map((row) => row.name);
    const layout = `${order}|${this.grid.clientWidth}|${document.body.classList.contains("big")}`;
    this.empty.classList.toggle("hidden", rows.length > 0);
    write(this.empty, this.floor.tables.size ? "No table is like this." : this.floor.ready ? "No table has been heard of yet." : "Waiting for the floor…");
    if (layout !== this.layout || names.length !== this.order.length || names.some((name, place) => name !== this.order[place])) {
      this.layout = layout;
      this.order = names;
      this.place(rows, order === "pit");
      this.draw();
    }
    this.tell();
  }

  // Names and pits keep their order until a table comes or moves: comparing words is what costs most.
  rankNames() {
    const known = [...this.floor.tables.values()].map((row) => row.pit ?? "").join("\n");
    if (known === this.known) return;
    this.known = known;
    const rows = [...this.floor.tables.values()].sort((one, other) => words.compare(one.name, other.name));
    const pits = [...new Set(rows.map((row) => row.pit ?? ""))].sort(words.compare);
    this.ranks = new Map(rows.map((row, place) => [row.name, [pits.indexOf(row.pit ?? ""), place]]));
    put(this.pit_, h("option", { value: "" }, "All pits"),
      pits.filter(Boolean).map((pit) => h("option", { value: pit, selected: pit === this.kept.pit }, `Pit ${pit}`)));
  }

  place(rows, grouped) {
    const { width, height, gap, heading } = this.size;
    const across = Math.max(1, Math.floor((this.grid.clientWidth + gap) / (width + gap)));
    this.across = across;
    this.rows = [];
    let top = 0;
    let group = null;
    let line = null;
    rows.forEach((row, place) => {
      if (grouped && row.pit !== group) {
        group = row.pit;
        this.rows.push({ top, height: heading, heading: group ? `Pit ${group}` : "No pit", names: [] });
        top += heading;
        line = null;
      }
      if (!line || line.names.length === across) {
        line = { top, height, names: [], first: place };
        this.rows.push(line);
        top += height + gap;
      }
      line.names.push(row.name);
    });
    const bead = document.body.classList.contains("big") ? 23.2 : 16.9;
    this.beads = Math.max(1, Math.floor((this.grid.clientWidth / across - gap - 2.2 * bead) / bead));
    this.grid.style.height = `${top}px`;
    this.grid.style.setProperty("--tile-width", `calc((100% - ${(across - 1) * gap}px) / ${across})`);
  }

  // Draw what is in sight, and a little beyond.
  draw() {
    const { gap } = this.size;
    const offset = this.grid.getBoundingClientRect().top;
    const from = -offset - 200;
    const to = -offset + innerHeight + 200;
    const seen = new Set();
    const headings = [];
    for (const line of this.rows) {
      if (line.top + line.height < from || line.top > to) continue;
      if (line.heading) {
        const node = h("h2", { class: "pit", role: "presentation" }, line.heading);
        node.style.top = `${line.top}px`;
        headings.push(node);
        continue;
      }
      line.names.forEach((name, column) => {
        seen.add(name);
        let tile = this.tiles.get(name);
        const row = this.floor.tables.get(name);
        if (!tile) {
          tile = makeTile(name);
          this.tiles.set(name, tile);
          this.grid.append(tile.node);
          fill(tile, row, this.beads);
          grow(tile, row, this.floor.now(), this.floor);
        }
        const where = `${line.top}|${column}|${this.across}|${this.order.length}`;
        if (tile.where !== where) {
          tile.where = where;
          tile.node.style.top = `${line.top}px`;
          tile.node.style.left = `calc(${column} * (var(--tile-width) + ${gap}px))`;
          tile.node.setAttribute("aria-setsize", this.order.length);
          tile.node.setAttribute("aria-posinset", line.first + column + 1);
          fill(tile, row, this.beads);
        }
      });
    }
    for (const [name, tile] of this.tiles) {
      // Scrolled away, it keeps the place of the keyboard; what is not like this any more does not stay.
      if (seen.has(name) || (tile.link === document.activeElement && this.order.includes(name))) continue;
      tile.node.remove();
      this.tiles.delete(name);
    }
    for (const node of this.grid.querySelectorAll(".pit")) node.remove();
    this.grid.append(...headings);
    this.inOrder(seen);
  }

  // The order in the document is the order on the screen: that is the way of the Tab key and of screen readers.
  inOrder(names) {
    const focused = document.activeElement;
    let place = 0;
    for (const name of names) {
      const { node } = this.tiles.get(name);
      if (this.grid.children[place] !== node) this.grid.insertBefore(node, this.grid.children[place] ?? null);
      place += 1;
    }
    if (focused !== document.activeElement && this.grid.contains(focused)) focused.focus({ preventScroll: true });
  }

  big(on) {
    const wanted = on ?? !document.body.classList.contains("big");
    document.body.classList.toggle("big", wanted);
    this.bigButton.setAttribute("aria-pressed", String(wanted));
    if (wanted && !document.fullscreenElement) document.documentElement.requestFullscreen?.().catch(() => null);
    if (!wanted && document.fullscreenElement) document.exitFullscreen();
    for (const tile of this.tiles.values()) tile.where = "";
    this.lay();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input, textarea, select");
    if (event.key === "Escape" && document.body.classList.contains("big")) this.big(false);
    if (typing) return;
    if (event.key === "/") {
      event.preventDefault();
      this.filter.focus();
    } else if (event.key === "b") {
      this.big();
    } else if (event.key.startsWith("Arrow")) {
      this.move(event);
    }
  }

  move(event) {
    const now = event.target.closest?.(".tile")?.dataset.table;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.across, ArrowDown: this.across }[event.key];
    // From a button or a link of the bar the arrows lead nowhere; from the page itself, to the first tile.
    if (!step || (!now && event.target.closest?.("a, button"))) return;
    event.preventDefault();
    const next = this.order[now ? this.order.indexOf(now) + step : 0];
    if (!next) return;
    const line = this.rows.find((each) => each.names.includes(next));
    const top = this.grid.getBoundingClientRect().top + scrollY + line.top;
    // Bar and filter stay in sight, and cover what is below them.
    const covered = Math.max(...[document.getElementById("bar"), this.tools].map((node) => node.getBoundingClientRect().bottom));
    if (top < scrollY + covered) scrollTo(0, top - covered - 10);
    else if (top + line.height > scrollY + innerHeight) scrollTo(0, top + line.height - innerHeight + 10);
    this.draw();
    this.tiles.get(next)?.link.focus({ preventScroll: true });
  }
}

function badness(row, now) {
  const [critical, high, medium, low] = row.findings;
  const quiet = now - row.heard > QUIET_MS || row.devices[1] ? 500 : 0;
  return critical * 1e6 + high * 1e3 + quiet + medium * 10 + low * 0.1;
}

function marked(severity, number, always) {
  return h("span", { class: `sev ${severity}${number ? "" : " none"}`, title: `${number} ${severity}` },
    h("span", { class: "visually-hidden" }, `${severity}: `), always || number ? count(number) : "0");
}

function makeTile(name) {
  const parts = {
    where: "", beads: null, worst: null, unjudged: "",
    name: h("span", { class: "name" }, name),
    state: h("span", { class: "state" }),
    game: h("span", { class: "game" }),
    round: h("span", { class: "round" }),
    result: h("span", { class: "result" }),
    road: h("span", { class: "road", "aria-hidden": "true" }),
    age: h("span", { class: "age" }),
    devices: h("span", { class: "devices" }),
    marks: SEVERITIES.map((severity) => ({ severity, node: h("span", { class: `sev ${severity} none` }, "0"), number: 0 })),
  };
  parts.link = h("a", { class: "tile", href: tablePath(name), "data-table": name },
    h("span", { class: "line" }, parts.name, parts.state),
    h("span", { class: "line" }, parts.game, parts.round),
    h("span", { class: "line" }, parts.result, h("span", { class: "marks" }, parts.marks.map((mark) => mark.node))),
    parts.road,
    h("span", { class: "line foot" }, parts.devices, parts.age));
  parts.node = h("div", { class: "cell", role: "listitem" }, parts.link);
  return parts;
}

function fill(tile, row, shown) {
  if (!row) return;
  write(tile.state, row.state === "dealing" ? `dealing ${row.cards}` : row.state);
  write(tile.game, `${row.pit ? `${row.pit} · ` : ""}${gameTitle(row.game)}`);
  write(tile.round, row.round ? `round ${row.round}` : "no round");
  const capital = (word) => `${word[0].toUpperCase()}${word.slice(1)}`;
  const result = row.winner ? `${capital(row.winner)} ${row.totals.join("–")}` : row.status ? capital(row.status) : "no result yet";
  write(tile.result, row.status === "void" ? "Void" : result);
  tile.marks.forEach((mark, place) => {
    const number = row.findings[place];
    if (number === mark.number) return;
    mark.number = number;
    write(mark.node, number > 99 ? "99+" : number);
    mark.node.className = `sev ${mark.severity}${number ? "" : " none"}`;
    mark.node.setAttribute("title", `${number} ${mark.severity}`);
  });
  const worst = SEVERITIES[row.findings.findIndex(Boolean)] ?? (row.devices[1] ? "silent" : "fine");
  if (worst !== tile.worst) {
    tile.worst = worst;
    tile.link.dataset.worst = worst;
  }
  // What is wrong goes before what is as it should be.
  const silent = row.devices[1] ? `${row.devices[1]} of ${row.devices[0]} devices silent` : "";
  write(tile.devices, row.worst ?? (silent || `${row.devices[0]} devices`));
  if (row.worst && silent) tile.devices.setAttribute("title", silent);
  else tile.devices.removeAttribute("title");
  tile.devices.className = row.worst ? `devices what ${worst}` : silent ? "devices bad" : "devices";
  const last = row.beads.slice(-2 * shown);
  if (last !== tile.beads) {
    tile.beads = last;
    const beads = [];
    for (let at = 0; at < last.length; at += 2) {
      beads.push(h("i", { class: `bead ${last[at]}${last[at + 1] === "!" ? " found" : ""}` }, last[at]));
    }
    put(tile.road, beads);
  }
}

function grow(tile, row, now, { stale, unjudged }) {
  if (!row) return;
  const quiet = now - row.heard;
  write(tile.age, row.heard ? `${age(quiet)} ago` : "never heard");
  tile.link.classList.toggle("quiet", stale || quiet > QUIET_MS);
  if (unjudged === tile.unjudged) return;
  tile.unjudged = unjudged;
  if (unjudged) tile.result.setAttribute("title", `Of an earlier round: ${unjudged}.`);
  else tile.result.removeAttribute("title");
}
