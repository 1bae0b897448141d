// Numbers, times and names as people read them.

export const SEVERITIES = ["critical", "high", "medium", "low"];

const GAMES = {
  dragon_tiger_baccarat: ["Dragon Tiger Baccarat", "DTB"],
  fa_fa_fabulous_4: ["Fa Fa Fabulous 4", "FF4"],
  sands_elements_no_commission: ["Sands Elements", "SE"],
  dragon_tiger: ["Dragon Tiger", "DT"],
  super_six_no_commission: ["Super Six", "EB"],
  fortune_six_no_commission: ["Fortune Six", "EB"],
  super_6_no_commission: ["Super 6", "EB"],
  no_commission: ["No Commission", "EB"],
  tiger: ["Tiger", "EB"],
  tiger_no_commission: ["Tiger No Commission", "EB"],
};

export const gameTitle = (game) => GAMES[game]?.[0] ?? (game ? words(game) : "not set up");

export function words(name) {
  const text = String(name ?? "").replaceAll("_", " ");
  return text ? text[0].toUpperCase() + text.slice(1) : "";
}

export const count = (value) => Number(value ?? 0).toLocaleString("en");

// What is not over is not counted: a part of a minute is no minute.
export function age(ms) {
  if (!Number.isFinite(ms)) return "never";
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

// Times are by the site's clock, which the cameras show too, wherever the reader sits.
let zone;
let hours = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
let days = new Intl.DateTimeFormat("en-GB");

export function useZone(name) {
  try {
    hours = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: name });
    days = new Intl.DateTimeFormat("en-GB", { timeZone: name });
    zone = name;
  } catch {
    // A zone that this browser does not know: its own clock goes on.
  }
}

export const siteZone = () => zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

export const clock = (ms) => (ms ? hours.format(ms) : "–");

const day = (ms) => days.format(ms);

export const moment = (ms) => (ms ? `${day(ms)} ${clock(ms)}` : "–");

// The day and the very moment, as one looks for it in a recording.
export const exactly = (ms) => (ms ? `${day(ms)} ${precise(ms)}` : "–");

export function precise(ms) {
  if (!ms) return "–";
  return `${clock(ms)}.${String(ms % 1000).padStart(3, "0")}`;
}

export function shown(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "object") {
    if (Array.isArray(value)) return value.map(shown).join(", ");
    return Object.entries(value).map(([name, each]) => `${words(name)} ${shown(each)}`).join(", ");
  }
  return String(value);
}

// As people count them: b2 before b10.
const counting = new Intl.Collator("en", { numeric: true });
export const byBet = (one, other) => (one.round ?? 0) - (other.round ?? 0) || counting.compare(one.bet, other.bet);

export const roundPath = (table, shoe, round) =>
  `/rounds/${encodeURIComponent(table)}/${encodeURIComponent(shoe)}/${round}`;
export const tablePath = (table) => `/tables/${encodeURIComponent(table)}`;
