// One table, live: bets and cards as they come, display beside recomputation, roads, shoe, limits, last rounds, hold.

import { h, put, s, write } from "/public/dom.js";
import { brief } from "./amounts.js";
import { get } from "./api.js";
import { card, cardName, slot } from "./cards.js";
import { age, clock, count, gameTitle, precise, roundPath, SEVERITIES, words } from "./format.js";
import { drawRoads } from "./roads.js";
import { stacked } from "./stacked.js";

const HOLD_MS = 30_000;

export function show(main, room, [name]) {
  const view = new TableView(main, room, name);
  view.begin();
  return () => view.end();
}

class TableView {
  constructor(main, room, name) {
    Object.assign(this, { main, room, name, told: {} });
  }

  begin() {
    const panel = (id, title) => {
      this[id] = h("div", { class: "body" });
      this[`${id}Note`] = h("small");
      return h("section", { class: `panel ${id}`, "aria-labelledby": `h-${id}` }, h("h2", { id: `h-${id}` }, title, this[`${id}Note`]), this[id]);
    };
    this.title = h("h1", {}, this.name);
    this.about = h("p", { class: "muted about" });
    this.age = h("span", { class: "pulse" }, "connecting");
    put(this.main, h("div", { class: "table-head" }, this.title, this.about, h("span", { class: "grow" }), this.age),
      this.grid = h("div", { class: "table-grid" },
        panel("cards", "Cards"), panel("check", "Display and recomputation"), panel("alerts", "Open alerts"),
        panel("bets", "Bets"), panel("limits", "Differential and limits"), panel("ledger", "Shoe"),
        panel("roads", "Roads"), panel("hold", "Hold against expectation"), panel("rounds", "Last rounds"), panel("devices", "Devices")));
    this.connect();
    this.second = () => this.grow();
    this.room.floor.addEventListener("second", this.second);
    this.askHold();
    this.holding = setInterval(() => this.askHold(), HOLD_MS);
  }

  connect() {
    this.source = new EventSource(`/api/v1/tables/${encodeURIComponent(this.name)}/stream`);
    const take = (event) => this.take(JSON.parse(event.data));
    this.source.addEventListener("snapshot", take);
    this.source.addEventListener("delta", take);
    this.source.addEventListener("error", () => {
      if (this.source.readyState === EventSource.CLOSED) this.lost();
    });
  }

  async lost() {
    try {
      await get(`/api/v1/tables/${encodeURIComponent(this.name)}`);
      this.retry = setTimeout(() => this.connect(), 2000);
    } catch (problem) {
      if (problem.status === 404) {
        put(this.about, "Nobody has heard of this table. ", h("a", { href: "/" }, "Back to the wall"));
        this.grid.classList.add("hidden");
        this.retry = setTimeout(() => this.connect(), 5000);
      } else {
        this.retry = setTimeout(() => this.lost(), 3000);
      }
    }
  }

  end() {
    this.source.close();
    clearTimeout(this.retry);
    clearInterval(this.holding);
    this.room.floor.removeEventListener("second", this.second);
  }

  take(news) {
    Object.assign(this.told, news.sections);
    this.grid.classList.remove("hidden");
    for (const name of Object.keys(news.sections)) {
      if (name === "table") this.drawTable();
      if (name === "round" || name === "table") this.drawRound();
      if (name === "shoe") this.drawShoe();
      if (name === "roads") drawRoads(this.roads, this.told.roads);
      if (name === "history") this.drawRounds();
      if (name === "devices") this.drawDevices();
      if (name === "alerts") this.drawAlerts();
    }
    this.grow();
  }

  // Before the set-up is told, amounts are written as in most currencies.
  money = (minor) => brief(minor, this.told.table?.decimals ?? 2);

  get elements() {
    return this.told.table?.deck === "65 cards";
  }

  grow() {
    const heard = this.told.table?.heard;
    const floor = this.room.floor;
    const old = heard ? floor.now() - heard : NaN;
    const when = heard ? `heard ${age(old)} ago` : "not heard yet";
    write(this.age, floor.stale ? `stale, ${when}` : when);
    this.age.className = `pulse ${floor.stale || !(old < 30_000) ? "bad" : "good"}`;
    const unjudged = floor.unjudged ? `old: ${floor.unjudged}` : "";
    write(this.roadsNote, unjudged);
    write(this.roundsNote, unjudged);
  }

  drawTable() {
    const table = this.told.table;
    if (table.decimals !== this.heldDecimals) this.drawHeld();
    write(this.about, table.game
      ? `${table.title ?? gameTitle(table.game)} · pit ${table.pit ?? "–"} · ${table.area === "hlga" ? "high-limit area" : "main floor"} · ${table.positions} positions · ${table.currency}${table.mode === "live" ? "" : ` · ${table.mode}`}`
      : "Its set-up is not known yet.");
  }

  drawRound() {
    const { round, table } = this.told;
    if (!round || !table?.hands) {
      put(this.cards, h("p", { class: "muted" }, "No round is open."));
      put(this.check);
      put(this.bets);
      put(this.limits);
      return;
    }
    write(this.cardsNote, `shoe ${round.shoe} · round ${round.number} · ${round.phase}`);
    const made = round.recomputed;
    put(this.cards, h("div", { class: "hands" }, table.hands.map((hand) => this.hand(hand, made, table))),
      made?.beside.length ? h("p", { class: "beside" }, "In no hand: ", made.beside.map((code) => card(code, this.elements))) : null,
      made ? h("p", { class: "next" }, made.next ? [h("strong", {}, made.complete ? "Complete. " : "Next: "), made.next, h("span", { class: "muted" }, ` (${made.rule})`)] : [h("strong", {}, "No further card: "), `${made.over}.`]) : null,
      h("p", { class: "muted small" }, `opened ${precise(round.opened)} · no more bets ${precise(round.bets_closed)} · closed ${precise(round.closed)}${round.method ? ` · method ${round.method}` : ""}${round.dealer ? ` · dealer ${round.dealer}` : ""}`),
      [...round.rulings.map((each) => `Ruling at ${clock(each.time)}: ${each.ruling}, clause ${each.clause}, by ${words(each.by)}`),
        ...round.incidents.map((each) => `Incident at ${clock(each.time)}: ${each.incident}${each.text ? ` — ${each.text}` : ""}`)].map((text) => h("p", { class: "event" }, text)));
    this.drawCheck(round, table);
    this.drawBets(round, table);
    this.drawLimits(round, table);
  }

  hand(name, made, table) {
    const held = made?.hands[name] ?? [];
    const size = table.hands.includes("banker") ? 3 : 1;
    const places = [...held.map((code) => card(code, this.elements)), ...Array.from({ length: Math.max(0, Math.min(size, 2) - held.length) }, slot)];
    const won = made?.winner === name;
    return h("div", { class: `hand ${name}${won ? " won" : ""}` },
      h("h3", {}, words(name), h("b", { class: "total" }, made?.totals[name] ?? "–")),
      h("div", { class: "held" }, places),
      h("p", { class: "muted small" }, [made?.naturals.includes(name) ? "natural" : null, made?.pairs.includes(name) ? "pair" : null, won ? "wins" : null].filter(Boolean).join(" · ") || "\u00a0"));
  }

  drawCheck(round, table) {
    const made = round.recomputed;
    const shown = round.displayed;
    const same = (one, other) => one === other;
    const line = (label, display, cards) => {
      const comparable = shown && made?.complete && display !== null && display !== undefined;
      const state = comparable ? (same(String(display), String(cards)) ? "same" : "differs") : "open";
      return h("tr", { class: state }, h("th", { scope: "row" }, label), h("td", {}, display ?? "–"), h("td", {}, cards ?? "–"),
        h("td", {}, { same: "✓ same", differs: "✗ differs", open: "–" }[state]));
    };
    put(this.check, h("table", {}, h("thead", {}, h("tr", {}, ["", "Display", "Cards", ""].map((text) => text ? h("th", { scope: "col" }, text) : h("td")))),
      h("tbody", {}, line("Winner", shown ? words(shown.winner) : null, made?.winner ? words(made.winner) : null),
        table.hands.map((hand) => line(words(hand), shown?.totals?.[hand] ?? null, made?.totals[hand])))),
      h("p", { class: "muted small" }, shown ? "What the table's display says, beside what the cards give." : "The display has shown nothing yet."));
  }

  drawBets(round, table) {
    const offered = Object.keys(table.limits);
    const wagers = [...new Set([...offered, ...round.bets.map((bet) => bet.wager).filter(Boolean)])];
    const cells = new Map();
    for (const bet of round.bets) {
      const key = `${bet.position}|${bet.wager}`;
      cells.set(key, [...(cells.get(key) ?? []), bet]);
    }
    const beyond = round.bets.map((bet) => bet.position).filter((place) => place > table.positions);
    const positions = [...new Set([...Array.from({ length: table.positions }, (_, place) => place + 1), ...beyond])];
    const sum = (wager) => round.bets.filter((bet) => bet.wager === wager).reduce((all, bet) => all + bet.amount, 0);
    const standing = round.bets.filter((bet) => bet.amount).length;
    write(this.betsNote, `${count(standing)} ${standing === 1 ? "bet" : "bets"} · ${this.money(round.bets.reduce((all, bet) => all + bet.amount, 0))} ${table.currency}`);
    put(this.bets, h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Bets by position and wager" }, h("table", { class: "layout" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Pos."), wagers.map((wager) => h("th", { scope: "col", class: offered.includes(wager) ? "number" : "number foreign" }, table.wagers[wager])))),
      h("tbody", {}, positions.map((place) => h("tr", {}, h("th", { scope: "row" }, place),
        wagers.map((wager) => h("td", { class: "number" }, (cells.get(`${place}|${wager}`) ?? []).map((bet) => stake(bet, this.money))))))),
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "All"), wagers.map((wager) => h("td", { class: "number" }, sum(wager) ? this.money(sum(wager)) : "")))))));
  }

  drawLimits(round, table) {
    const found = [];
    if (round.differential) {
      const { value, limit, player, banker } = round.differential;
      found.push(gauge(`Differential (Player ${this.money(player)}, Banker ${this.money(banker)})`, value, limit, this.money));
    } else {
      found.push(h("p", { class: "muted small" }, "This game has no table differential."));
    }
    for (const [wager, [least, most]] of Object.entries(table.limits)) {
      const largest = Math.max(0, ...round.bets.filter((bet) => bet.wager === wager).map((bet) => bet.amount));
      if (largest) found.push(gauge(`${table.wagers[wager]}: largest bet (from ${this.money(least)})`, largest, most, this.money, least));
    }
    put(this.limits, found);
  }

  drawShoe() {
    const shoe = this.told.shoe;
    if (!shoe) {
      put(this.ledger, h("p", { class: "muted" }, "No shoe is known."));
      return;
    }
    write(this.ledgerNote, `${shoe.name} · ${shoe.decks ?? "?"} decks · ${count(shoe.drawn)} of ${shoe.size ? count(shoe.size) : "?"} cards read`);
    const decks = shoe.decks;
    put(this.ledger, shoe.size ? gauge("Cards read", shoe.drawn, shoe.size) : null,
      h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Cards read, by rank and suit" }, h("table", { class: "ledger" },
        h("thead", {}, h("tr", {}, h("td"), shoe.ranks.map((rank) => h("th", { scope: "col" }, rank)))),
        h("tbody", {}, shoe.suits.map((suit) => h("tr", {}, h("th", { scope: "row" }, cardName(`A${suit}`, this.elements).split(" of ")[1]),
          shoe.ranks.map((rank) => {
            const seen = shoe.seen[rank + suit] ?? 0;
            return h("td", { class: decks && seen > decks ? "over" : seen ? "" : "zero" }, seen);
          })))))),
      shoe.cutting_card ? h("p", { class: "event" }, `Cutting card in round ${shoe.cutting_card[0]}, before draw ${shoe.cutting_card[1]}.`) : null,
      shoe.ended ? h("p", { class: "event" }, "The shoe has ended.") : null);
  }

  drawRounds() {
    const rounds = this.told.history ?? [];
    const replay = this.room.may("/rounds");
    put(this.rounds, rounds.length ? h("div", { class: "scroll tall", tabindex: 0, role: "group", "aria-label": "Last rounds" }, stacked(h("table", {},
      h("thead", {}, h("tr", {}, ["Judged", "Shoe", "Round", "Result", "Status", "Found"].map((text) => h("th", { scope: "col" }, text)), ["Handle", "Win"].map((text) => h("th", { scope: "col", class: "number" }, text)))),
      h("tbody", {}, rounds.map((each) => h("tr", { class: each.codes.length ? "found" : "" },
        h("td", {}, clock(each.at)), h("td", {}, each.shoe),
        h("td", {}, replay ? h("a", { href: roundPath(this.name, each.shoe, each.round) }, each.round) : each.round, each.revision > 1 ? h("span", { class: "muted" }, ` rev. ${each.revision}`) : null),
        h("td", {}, each.winner ? `${words(each.winner)} ${each.totals.join("–")}` : "–"),
        h("td", {}, h("span", { class: `status ${each.status}` }, each.status)),
        h("td", {}, each.codes.map((code, place) => h("div", {}, h("span", { class: `sev ${each.severities[place]}` }, code)))),
        h("td", { class: "number" }, this.money(each.handle)), h("td", { class: "number" }, this.money(each.win)))))))) : h("p", { class: "muted" }, "No round has been judged yet."));
  }

  drawDevices() {
    const devices = this.told.devices ?? [];
    put(this.devices, h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Devices" }, stacked(h("table", {}, h("thead", {}, h("tr", {}, ["Device", "State", "Events", "Clock", "Last heard"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, devices.map((each) => h("tr", {},
      h("th", { scope: "row" }, each.source),
      h("td", {}, each.silent ? h("span", { class: "sev high" }, "silent") : "speaks"),
      h("td", {}, each.twice ? h("div", {}, h("span", { class: "sev high", title: "It began its sequence again: rounds may be called wrong that are not." }, "number used twice")) : null,
        each.missing ? h("span", { class: "sev high" }, missingWords(each.missing)) : each.resolved ? `${missingWords(each.resolved)}, resolved` : each.twice ? null : "no gap"),
      h("td", {}, each.beats ? `${each.clock_ms >= 0 ? "+" : ""}${each.clock_ms} ms` : "no heartbeat"),
      h("td", {}, clock(each.arrival)))))))));
  }

  drawAlerts() {
    const alerts = this.told.alerts ?? [];
    const order = (alert) => SEVERITIES.indexOf(alert.severity);
    write(this.alertsNote, alerts.length ? count(alerts.length) : "none");
    put(this.alerts, alerts.length ? h("ul", { class: "found-list" }, [...alerts].sort((one, other) => order(one) - order(other) || other.raised - one.raised).slice(0, 30).map((alert) =>
      h("li", {}, h("span", { class: `sev ${alert.severity}` }, alert.code), h("span", { class: "muted" }, ` ${clock(alert.raised)} · ${alert.state}`),
        h("p", {}, h("a", { href: `/desk?alert=${alert.id}` }, alert.message))))) : h("p", { class: "muted" }, "Nothing is open at this table."));
  }

  drawHeld() {
    this.heldDecimals = this.told.table?.decimals;
    if (this.held) drawHold(this.hold, this.holdNote, this.held, this.money);
  }

  async askHold() {
    if (!this.held) put(this.hold, h("p", { class: "muted" }, "Asking the store…"));
    try {
      this.held = await get(`/api/v1/tables/${encodeURIComponent(this.name)}/hold`);
      this.drawHeld();
    } catch (problem) {
      put(this.hold, h("p", { class: "muted" }, problem.message));
    }
  }
}

const missingWords = (events) => `${count(events)} ${events === 1 ? "event" : "events"} missing`;

function stake(bet, money) {
  if (!bet.amount && bet.paid === null) return h("span", { class: "stake gone", title: `${bet.bet}: taken back` }, "0");
  const who = bet.player ? `, player ${bet.player}` : "";
  const result = bet.paid === null ? "" : bet.paid > 0 ? " paid" : bet.collected > 0 ? " lost" : " push";
  return h("span", { class: `stake${bet.beyond ? " beyond" : ""}${result}`, title: `${bet.bet}${who}${bet.beyond ? `, ${bet.beyond} the limit` : ""}${bet.paid === null ? "" : `, paid ${money(bet.paid)}, collected ${money(bet.collected)}`}` },
    money(bet.amount), bet.beyond ? h("b", {}, bet.beyond === "above" ? " ▲" : " ▼") : null,
    bet.player ? h("small", {}, ` ${bet.player}`) : null);
}

// Without a currency it is a count, which nothing forbids.
function gauge(label, value, limit, money = null, least = null) {
  const share = limit ? Math.min(1, value / limit) : 0;
  const over = money && limit !== null && (value > limit || (least !== null && value < least));
  const near = money && !over && share > 0.8;
  return h("div", { class: `gauge ${over ? "over" : near ? "near" : ""}` },
    h("div", { class: "gauge-words" }, h("span", {}, label), h("b", {}, !money ? `${count(value)} / ${count(limit)}` : limit === null ? `${money(value)}, no limit` : `${money(value)} / ${money(limit)}${over ? " ✗" : ""}`)),
    s("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: "ground", width: 100, height: 6 }), s("rect", { class: "bar", width: 100 * share, height: 6 })));
}

function drawHold(node, note, hold, money) {
  if (!hold.rounds) {
    put(node, h("p", { class: "muted" }, "No settled round in the last 24 hours."));
    return;
  }
  const percent = (value) => `${((100 * value) / hold.handle).toFixed(2)} %`;
  const outside = hold.win < hold.low || hold.win > hold.high;
  write(note, `theoretical, last 24 h, ${count(hold.rounds)} ${hold.rounds === 1 ? "round" : "rounds"}`);
  const [width, height] = [300, 110];
  const all = hold.path.flatMap(([, ...values]) => values).concat(0);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (rounds) => (width * rounds) / hold.rounds;
  const y = (value) => height - 4 - ((height - 8) * (value - low)) / Math.max(1, high - low);
  const band = [...hold.path.map(([rounds, , bottom]) => `${x(rounds)},${y(bottom)}`), ...hold.path.toReversed().map(([rounds, , , top]) => `${x(rounds)},${y(top)}`)].join(" ");
  put(node,
    s("svg", { class: "hold-chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Win ${money(hold.win)}, band ${money(hold.low)} to ${money(hold.high)}` },
      s("polygon", { class: "band", points: band }), s("path", { class: "zero", d: `M0 ${y(0)}H${width}` }),
      s("polyline", { class: "win", points: hold.path.map(([rounds, win]) => `${x(rounds)},${y(win)}`).join(" ") })),
    h("p", {}, outside ? [h("span", { class: "sev high" }, "Outside the band"), ". "] : null, `Hold ${percent(hold.win)} (win ${money(hold.win)} of ${money(hold.handle)}); expected ${percent(hold.expected)}; 95 % band ${percent(hold.low)} to ${percent(hold.high)}.`),
    h("p", { class: "muted small" }, "Win over handle. Drop and fills are not known here."));
}
