// What is asked of a round: how its verdicts differ, whether it is as it was judged and sealed, what would be otherwise.

import { h, put } from "/public/dom.js";
import { valued } from "./amounts.js";
import { get, post } from "./api.js";
import { catalogue } from "./catalogue.js";
import { cardName } from "./cards.js";
import { coded } from "./coded.js";
import { fileLink } from "./file-link.js";
import { byBet, count, moment, roundPath, words } from "./format.js";
import { scrolling } from "./stacked.js";

// A part of a verdict, by the name that it has there.
const partValue = (view, part, value) => valued(value, view.story.decimals, part.split(".").at(-1));

export function comparePanel(view) {
  const { revisions } = view.told;
  if (!revisions.length) return h("p", { class: "muted" }, "No verdict yet: the round is still open.");
  const list = h("table", {}, h("thead", {}, h("tr", {}, ["Revision", "Judged", "Judge", "Status", "Findings"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, revisions.map((each) => h("tr", {}, h("td", {}, each.revision), h("td", {}, moment(each.judged)), h("td", {}, each.judge), h("td", {}, words(each.status)), h("td", {}, each.findings)))));
  if (revisions.length < 2) return [list, h("p", { class: "muted" }, "One verdict: nothing to compare.")];
  const choice = (label, at) => h("select", { "aria-label": label }, revisions.map((each, place) => h("option", { value: each.revision, selected: place === at }, `Revision ${each.revision}`)));
  const first = choice("Compare", revisions.length - 2);
  const second = choice("with", revisions.length - 1);
  const answer = h("div", { role: "status" });
  const ask = asking(answer, async () => {
    const told = await get(`${view.path}/compare?first=${first.value}&second=${second.value}`);
    if (!told.differences.length) return h("p", {}, "Nothing differs.");
    const value = ({ part }, each) => h("td", {}, partValue(view, part, each));
    return scrolling("Differences", h("table", {}, h("thead", {}, h("tr", {}, ["Part", `Revision ${told.first.revision}`, `Revision ${told.second.revision}`].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, told.differences.map((each) => h("tr", {}, h("th", { scope: "row" }, each.part), value(each, each.first), value(each, each.second))))));
  });
  return [list, h("div", { class: "tools" }, h("label", {}, "Compare", first), h("label", {}, "with", second), h("button", { type: "button", onclick: ask }, "Compare")), answer];
}

export function bundlePanel(view) {
  const proof = h("div", { role: "status" });
  const judged = h("div", { role: "status" });
  const drawn = h("div", { role: "status" });
  const bundle = h("span", {});
  const prove = asking(proof, async () => {
    const told = await get(`${view.path}/proof`);
    put(bundle, told.state === "proved" ? fileLink(`${view.path}/bundle`, "Download the evidence bundle", drawn) : h("span", { class: "muted" }, "The evidence bundle can be drawn once the round is sealed and proved."));
    const tone = { proved: "good", "not sealed": "warn", "not as sealed": "bad" }[told.state];
    return [h("p", { class: `proof ${tone}` }, { proved: "✓ Proved", "not sealed": "… Not sealed yet", "not as sealed": "✗ Not as sealed" }[told.state], ": ", coded(told.words)),
      told.root ? h("dl", {}, h("dt", {}, "Signed"), h("dd", {}, `${moment(told.sealed)} with key ${told.key}`), h("dt", {}, "Root"), h("dd", {}, h("code", { class: "digest" }, told.root))) : null];
  });
  const anew = asking(judged, async () => {
    const told = await get(`${view.path}/verify`);
    if (told.same) return h("p", { class: "proof good" }, "✓ Judged anew from the raw events: the same verdict, byte for byte.");
    return told.deviations.map((each) => [h("p", { class: "proof bad" }, `✗ ${words(each.kind.replaceAll("-", " "))}`, each.judge ? ` (stored by judge ${each.judge})` : ""),
      h("ul", {}, each.differences.map((part) => h("li", {}, `${part.part}: stored ${partValue(view, part.part, part.stored)}, judged ${partValue(view, part.part, part.judged)}`)))]);
  });
  prove();
  return [proof, h("div", { class: "tools" }, h("button", { type: "button", onclick: prove }, "Prove again"), h("button", { type: "button", onclick: anew }, "Judge anew"), bundle), drawn, judged,
  h("p", { class: "muted" }, "Raw events, verdicts, rules and proofs in one file, with a program that checks them. Who takes it is logged.")];
}

export function refundPanel(view) {
  if (!view.story.status) return h("p", { class: "muted" }, "The round is still open: what moved is told once it is judged.");
  const answer = h("div", { role: "status" });
  const ruling = view.told.void_by;
  const ground = h("select", { "aria-label": "Ground" });
  catalogue().then(({ grounds }) => put(ground, Object.entries(grounds).map(([value, text]) => h("option", { value, selected: value === (ruling?.ground ?? "decision") }, text))),
    (problem) => put(answer, h("p", { class: "said" }, coded(problem.message))));
  const until = h("input", { type: "number", "aria-label": "Up to round", min: view.key.round, value: view.key.round, size: 4 });
  const ask = asking(answer, async () => {
    const told = await get(`${view.path}/refund?${new URLSearchParams({ ...(ground.value && { ground: ground.value }), until: until.value || view.key.round })}`);
    return refundSheet(view, told, (await catalogue()).wagers);
  });
  return [h("p", { class: "muted" }, "What has to go back to whom if this round, or the rounds from here on, are void."),
    ruling && h("p", { class: "muted" }, ruling.ground ? `The ruling at the table declared it void by ${ruling.clause}: that is the ground here.` : `The ruling at the table declared it void by ${ruling.clause}, which is none of these grounds.`),
    h("div", { class: "tools no-print" }, h("label", {}, "Ground", ground), h("label", {}, "up to round", until), h("button", { type: "button", onclick: ask }, "Draw the sheet")), answer];
}

function refundSheet(view, told, titles) {
  const columns = (names, from) => h("thead", {}, h("tr", {}, names.map((name, place) => h("th", { scope: "col", class: place >= from ? "number" : null }, name))));
  const amounts = (each) => [each.to_player, each.from_player, each.on_layout, each.net].map((minor) => h("td", { class: "number" }, view.money(minor)));
  return [h("p", { class: "words" }, `${count(told.rounds.length)} ${told.rounds.length === 1 ? "round" : "rounds"}: the house gives back ${view.money(told.to_players)}, players give back ${view.money(told.from_players)} ${told.currency ?? ""}`),
    told.already_void.length ? h("p", {}, `Void as it is: ${told.already_void.join(", ")}`) : null,
    told.unknown.length ? h("p", {}, `The game is not known, so that no clause is named: ${told.unknown.join(", ")}`) : null,
    told.without_events.length ? h("p", {}, `Their events are gone, so that money on a bet without a placing on record cannot be told: ${told.without_events.join(", ")}`) : null,
    told.basis.map((each) => h("p", {}, h("span", { class: "cite" }, `${each.document} ${each.clause ?? ""}`), each.words)),
    told.players.length ? scrolling("By player", h("table", {}, columns(["Player", "Bets", "Gets back", "Gives back", "Lies on the layout", "Net"], 1),
      h("tbody", {}, told.players.map((each) => h("tr", {}, h("td", {}, each.who), h("td", { class: "number" }, each.bets), amounts(each)))))) : h("p", {}, "No money moved, and none lies on the layout."),
    told.bets.length ? scrolling("By bet", h("table", {}, columns(["Round", "Bet", "Place", "Player", "Wager", "Stake", "Gets back", "Gives back", "Lies on the layout", "Net"], 5),
      h("tbody", {}, told.bets.toSorted(byBet).map((each) => h("tr", {}, h("td", {}, each.round), h("td", {}, each.bet), h("td", {}, each.position ?? "–"), h("td", {}, each.player ?? "unknown"), h("td", {}, each.wager ? titles[each.wager] : "no placing on record"), h("td", { class: "number" }, each.wager ? view.money(each.stake) : "unknown"), amounts(each)))))) : null];
}

export function whatIfPanel(view) {
  const body = h("div", {}, h("p", { class: "muted" }, "…"));
  catalogue().then((known) => put(body, whatIfForm(view, known)), (problem) => put(body, h("p", { class: "said" }, problem.message)));
  return body;
}

function whatIfForm(view, known) {
  const { story } = view;
  if (!story.status) return h("p", { class: "muted" }, "The round is still open: there is no verdict to compare with.");
  const game = known.games.find((each) => each.name === story.game);
  const inForce = story.settings.readings ?? {};
  const scale = 10 ** story.decimals;
  const readings = Object.entries(known.readings).map(([name, choices]) => {
    const now = inForce[name] ?? choices[0];
    return labelled(words(name), h("select", { name: `reading ${name}` }, choices.map((each) => h("option", { value: each === now ? "" : each, selected: each === now }, each === now ? `${each} (as judged)` : each))));
  });
  // The letters of a five-element card are not read at sight.
  const five = (game?.cards.length ?? 0) > 52;
  const named = (code) => five ? cardName(code, five) : code;
  // Of one draw, readers may have said two cards.
  const drawn = new Map();
  for (const { kind, draw, card } of story.moments) if (kind === "card") drawn.set(draw, [...new Set([...(drawn.get(draw) ?? []), card])]);
  const cards = [...drawn].sort(([a], [b]) => a - b).map(([draw, codes]) => labelled(`Draw ${draw}`, h("select", { name: `card ${draw}` },
    h("option", { value: "" }, `${codes.map(named).join(" and ")} (as read)`), (game?.cards ?? []).filter((each) => codes.length > 1 || each !== codes[0]).map((each) => h("option", { value: each, title: cardName(each, five) }, named(each))))));
  const wager = h("select", { name: "wager" }, h("option", { value: "" }, "no other limit"), Object.entries(game?.wagers ?? {}).map(([name, title]) => h("option", { value: name }, title)));
  // A limit is a wager and both ends: an empty one would be zero, and everything beyond it.
  const ends = ["wager", "min", "max"];
  const whole = (needed) => { for (const name of ends) form.elements[name].required = needed; };
  // What is in force stands in the fields: one of the two ends is mostly to stay.
  wager.addEventListener("change", () => {
    const limit = story.limits[wager.value];
    for (const name of ["min", "max"]) form.elements[name].value = limit ? limit[name] / scale : "";
  });
  const number = (name, placeholder = "") => h("input", { name, type: "number", min: 0, step: 1 / scale, inputmode: "decimal", placeholder });
  const form = h("form", { class: "what-if-form", onsubmit: (event) => { event.preventDefault(); ask(); }, onreset: () => whole(false) },
    h("fieldset", {}, h("legend", {}, "Another reading"), readings),
    h("fieldset", {}, h("legend", {}, "Another card"), cards),
    h("fieldset", { oninput: () => whole(ends.some((name) => form.elements[name].value)) }, h("legend", {}, "Another limit"), labelled("Wager", wager), labelled("Minimum", number("min")), labelled("Maximum", number("max")), labelled("Differential", number("differential", story.differential?.limit ? String(story.differential.limit / scale) : ""))),
    h("div", { class: "buttons" }, h("button", { class: "primary", type: "submit" }, "What then?"), h("button", { type: "reset" }, "As it was")));
  const answer = h("div", { role: "status" });
  // The browser says what is missing; what was said before is of another question.
  form.addEventListener("invalid", () => put(answer), true);
  const ask = asking(answer, async () => {
    const asked = { readings: {}, cards: {}, limits: {} };
    for (const [name, value] of new FormData(form)) {
      const [kind, about] = [name.slice(0, name.indexOf(" ")), name.slice(name.indexOf(" ") + 1)];
      if (value && kind === "reading") asked.readings[about] = value;
      if (value && kind === "card") asked.cards[about] = value;
    }
    const minor = (name) => Math.round(Number(form.elements[name].value) * scale);
    if (wager.value) asked.limits[wager.value] = { min: minor("min"), max: minor("max") };
    if (form.elements.differential.value !== "") asked.differential_limit = minor("differential");
    return otherwise(view, await post(`${view.path}/what-if`, asked), known.wagers);
  });
  return [h("p", { class: "muted" }, "The round is judged as it is and with the change. Nothing is stored; that you asked is in the access log."), form, answer];
}

function otherwise(view, told, titles) {
  if (!told.changed.length) return h("p", {}, `Nothing would come out otherwise (${count(told.rounds)} ${told.rounds === 1 ? "round" : "rounds"} looked at).`);
  const gain = Number(told.difference);
  const undecided = told.changed.some((each) => each.bets.some((bet) => bet.due === null || bet.due_then === null));
  // The round that was asked about comes before the others of its shoe.
  const own = (each) => each.round === Number(view.key.round);
  const arrow = (name, { now, then }) => now === then ? null : h("p", {}, `${name}: ${now ?? "cannot be said"} → ${then ?? "cannot be said"}`);
  return [h("p", { class: "words" }, `${count(told.changed.length)} of ${count(told.rounds)} ${told.rounds === 1 ? "round" : "rounds"} would come out otherwise; ${gain ? `players would win ${view.money(Math.abs(gain))} ${gain < 0 ? "less" : "more"}` : undecided ? "what is due cannot be said in both cases" : "no money would be due otherwise"}.`),
    told.changed.toSorted((one, other) => own(other) - own(one)).map((each) => h("section", { class: "otherwise" },
      h("h3", {}, own(each) ? "This round" : h("a", { href: roundPath(each.table, each.shoe, each.round) }, `Round ${each.round}`)),
      arrow("Status", each.status), arrow("Outcome", each.outcome),
      each.appeared.map((finding) => h("p", {}, h("span", { class: `sev ${finding.severity}` }, `+ ${finding.code}`), " ", finding.message)),
      each.gone.map((finding) => h("p", { class: "muted" }, `− ${finding.code}: ${finding.message}`)),
      each.bets.length ? scrolling("Bets otherwise", h("table", {}, h("thead", {}, h("tr", {}, ["Bet", "Place", "Player", "Wager", "Stake", "Due", "Would be due", "Moved"].map((name, place) => h("th", { scope: "col", class: place > 3 ? "number" : null }, name)))),
        h("tbody", {}, each.bets.toSorted(byBet).map((bet) => h("tr", {}, h("td", {}, bet.bet), h("td", {}, bet.position), h("td", {}, bet.player ?? "unknown"), h("td", {}, titles[bet.wager]),
          [bet.stake, bet.due, bet.due_then, bet.moved].map((minor) => h("td", { class: "number" }, view.money(minor)))))))) : null))];
}

// A button that asks and shows the answer, or why there is none, in its place.
export function asking(answer, ask) {
  return async () => {
    put(answer, h("p", { class: "muted" }, "…"));
    try {
      put(answer, await ask());
    } catch (problem) {
      put(answer, h("p", { class: "said" }, problem.message));
    }
  };
}

function labelled(label, field) {
  return h("label", {}, h("span", {}, label), field);
}
