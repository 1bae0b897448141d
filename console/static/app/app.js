// The page around the screens: who is signed in, the bar, what is not as it should be, and which screen is shown.

import { h, put, write } from "/public/dom.js";
import { otherTheme, themeNow } from "/public/theme.js";
import { get, remove, useToken } from "./api.js";
import { coded } from "./coded.js";
import { age, count, useZone } from "./format.js";
import { LiveFloor } from "./live.js";
import { SCREENS, screenOf } from "./screens.js";
import { begun, leave } from "./signed-out.js";
import { soundFor, soundOn, soundWaits, toggleSound, trySound } from "./sound.js";
import { UncertainActs } from "./uncertain-acts.js";

const main = document.getElementById("main");
const bar = document.getElementById("bar");
const notices = document.getElementById("notices");
const toast = document.getElementById("toast");

const room = { who: null, floor: new LiveFloor(), uncertain: new UncertainActs(say, () => room.floor.now()), go, say, may };
let end = null;
let drawn = 0;
let title = "Tablewatch";

async function begin() {
  try {
    room.who = await get("/api/v1/session");
  } catch (problem) {
    put(main, h("p", { class: "pad said" }, problem.message));
    setTimeout(begin, 3000);
    return;
  }
  begun();
  useToken(room.who.csrf);
  useZone(room.who.zone);
  drawBar();
  room.floor.addEventListener("alerts", tellCount);
  room.floor.addEventListener("raised", (event) => raised(event.detail));
  room.floor.addEventListener("status", tellStatus);
  room.floor.addEventListener("second", tellStatus);
  room.uncertain.addEventListener("change", () => { noticed = ""; tellStatus(); });
  room.floor.start();
  room.uncertain.begin(room.who.name);
  document.addEventListener("click", follow);
  document.addEventListener("keydown", keys);
  addEventListener("popstate", () => draw());
  await draw();
}

function may(page) {
  return room.who.pages.includes(page);
}

function drawBar() {
  const theme = h("button", { type: "button", onclick: () => { otherTheme(); label(); } });
  const label = () => write(theme, themeNow() === "dark" ? "Light" : "Dark");
  let waits = soundWaits();
  // The click that it waits for turns nothing off.
  const voice = h("button", { type: "button", id: "sound", onclick: () => { if (waits) trySound(); else toggleSound(); waits = false; mark(); } });
  const mark = () => {
    put(voice, waits || soundOn() ? "Sound" : "Sound off", waits ? h("span", { class: "hint" }, ": click once") : null);
    voice.title = waits ? "This browser lets the page sound after one click, or one key." : "";
    voice.setAttribute("aria-pressed", waits ? "mixed" : String(soundOn()));
  };
  for (const kind of ["click", "keyup"]) document.addEventListener(kind, () => { waits = soundWaits(); mark(); });
  label();
  mark();
  const links = SCREENS.filter((screen) => screen.bar && may(screen.page)).map((screen) =>
    h("a", { href: screen.page, "data-page": screen.page }, screen.name,
      screen.page === "/desk" ? h("span", { class: "bubble hidden", id: "bubble" }) : null));
  put(bar,
    h("a", { class: "home", href: "/", "aria-label": "Tablewatch" }, h("img", { src: "/public/icon.svg", alt: "", width: 22, height: 22 }), h("span", {}, "Tablewatch")),
    h("nav", { "aria-label": "Screens" }, links),
    h("span", { id: "pulse", class: "pulse", title: "Age of what is shown" }),
    voice, theme,
    h("a", { class: "who", href: "/account", "data-page": "/account", title: "Your account" }, room.who.name,
      h("span", { class: "role" }, ` · ${room.who.role.replace("_", " ")}`)),
    h("button", { type: "button", onclick: signOut }, "Sign out"));
}

async function signOut() {
  leave();
  await remove("/api/v1/session").catch(() => null);
  location.assign("/");
}

function tellCount() {
  const open = room.floor.openAlerts;
  const bubble = document.getElementById("bubble");
  if (bubble) {
    write(bubble, count(open));
    bubble.classList.toggle("hidden", !open);
    bubble.setAttribute("aria-label", `${open} open alerts`);
  }
  document.title = open ? `(${open}) ${title}` : title;
}

function raised(alerts) {
  soundFor(alerts.some((alert) => alert.severity === "critical") ? "critical" : "high");
}

let noticed = "";
function tellStatus() {
  const floor = room.floor;
  const pulse = document.getElementById("pulse");
  const found = [];
  if (floor.stale) {
    const since = floor.told ? ` What is shown is ${age(floor.silence)} old.` : "";
    found.push(["bad", `The console does not answer.${since}`]);
  }
  for (const [name, part] of Object.entries(floor.status ?? {})) {
    if (!part?.state || part.state === "ok" || part.state === "starting") continue;
    const since = part.since ? ` (for ${age(floor.now() - part.since)})` : "";
    found.push([part.state === "behind" ? "warn" : "bad", `${headline(name, part.state)}: ${part.words}${since}`]);
  }
  const words = pulseWords(floor);
  write(pulse, words);
  pulse.className = `pulse ${floor.stale ? "bad" : found.length || words !== LIVE ? "warn" : "good"}`;
  document.body.classList.toggle("stale", floor.stale);
  document.body.classList.toggle("unjudged", Boolean(floor.unjudged));
  const now = JSON.stringify(found);
  if (now === noticed) return;
  noticed = now;
  put(notices, found.map(([kind, text]) => h("p", { class: `notice ${kind}` }, coded(text))), room.uncertain.notices());
}

const LIVE = "live";

// "Live" is said where all that is shown is fresh, what is found of it too; not before both are known, and the store
// has told the console of every table.
function pulseWords(floor) {
  if (!floor.told) return "connecting";
  if (floor.stale) return `stale ${age(floor.silence)}`;
  const { feed, workers, whole } = floor.status ?? {};
  const since = (part) => age(floor.now() - part.since);
  if (feed?.state === "away") return `not live ${since(feed)}`;
  if (workers?.state === "away" || workers?.state === "stopped") return `not judged ${since(workers)}`;
  if (workers?.state === "behind") return `behind ${since(workers)}`;
  return feed?.state === "ok" && workers?.state === "ok" && whole ? LIVE : "connecting";
}

function headline(part, state) {
  if (part === "workers") return { behind: "Judging is behind", away: "Broker away" }[state] ?? "Pipeline stopped";
  if (part === "feed") return "No live data";
  return "Store away";
}

export function say(text) {
  put(toast, h("p", { class: "card" }, coded(text)));
  clearTimeout(say.timer);
  say.timer = setTimeout(() => put(toast), 6000);
}

function follow(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  if (!screenOf(link.pathname)) return;
  event.preventDefault();
  go(link.pathname + link.search);
}

function go(path) {
  history.pushState(null, "", path);
  draw();
}

function keys(event) {
  if (event.key === "Escape" && event.target.matches?.("input[type=search]")) {
    // Out of the field, so that keys lead on from the page; what it looks for stays.
    event.preventDefault();
    event.target.blur();
    return;
  }
  if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!room.jump) {
    if (event.key === "g") {
      room.jump = true;
      setTimeout(() => { room.jump = false; }, 1000);
    }
    return;
  }
  room.jump = false;
  const page = { w: "/", d: "/desk" }[event.key];
  if (page && may(page)) go(page);
}

async function draw() {
  const mine = ++drawn;
  const found = screenOf(location.pathname);
  if (end) end();
  end = null;
  document.body.classList.remove("big");
  for (const link of bar.querySelectorAll("[data-page]")) {
    if (link.dataset.page === found?.screen.page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (!found) {
    put(main, h("p", { class: "pad" }, "There is no such page. ", h("a", { href: "/" }, "Back to the wall")));
    return;
  }
  title = `${found.parts[0] ?? found.screen.name} · Tablewatch`;
  tellCount();
  try {
    const module = await import(found.screen.module);
    if (mine !== drawn) return;
    put(main);
    end = module.show(main, room, found.parts) ?? null;
  } catch (problem) {
    put(main, h("p", { class: "pad said" }, `This screen cannot be shown: ${problem.message}`));
    // Most likely the session has ended; then the same address shows the sign-in page.
    await get("/api/v1/session").catch(() => null);
  }
  if (mine > 1) main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

begin();
