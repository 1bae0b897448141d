// Amounts of a currency, and spans of time, as reports, replays and alerts write them.

import { shown, words } from "./format.js";

// Minor units with the currency's decimals; what is not a whole number of minor units comes as a decimal text.
export function amount(minor, decimals, fewest = decimals) {
  if (minor === null || minor === undefined) return "–";
  const value = Number(minor) / 10 ** decimals;
  return value.toLocaleString("en", { minimumFractionDigits: fewest, maximumFractionDigits: decimals + 4 });
}

// The same where there is little room: without decimals where they are all zero.
export function brief(minor, decimals) {
  return amount(minor, decimals, Number(minor) % 10 ** decimals === 0 ? 0 : decimals);
}

const AMOUNTS = new Set(["amount", "paid", "collected", "stake", "staked", "win", "net", "standard_deviation", "closing", "first_card", "limit"]);
const OF_LIMITS = new Set(["below-minimum", "above-maximum", "differential-exceeded"]);

// A part of a verdict or of a finding, whatever it is made of: amounts as above, the rest as it is.
export function valued(value, decimals, name = "") {
  if (value === null || value === undefined || decimals === null || decimals === undefined) return shown(value);
  if (Array.isArray(value)) return value.map((each) => valued(each, decimals)).join(", ");
  if (typeof value === "object") return Object.entries(value).map(([part, each]) => `${words(part)} ${valued(each, decimals, part)}`).join(", ");
  return AMOUNTS.has(name) ? amount(value, decimals) : shown(value);
}

// What a finding expected or saw; where it is about a limit, the value itself is an amount.
export const foundValue = (code, value, decimals) => valued(value, decimals, OF_LIMITS.has(code) ? "amount" : "");

export function percent(share, digits = 2) {
  return share === null || share === undefined ? "–" : `${(share * 100).toFixed(digits)} %`;
}

export function span(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 180) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// A moment on the clock of the site, with its zone: reports are read elsewhere too.
export function siteTime(ms, zone, seconds = true) {
  const shape = { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  if (seconds) shape.second = "2-digit";
  return new Intl.DateTimeFormat("en-GB", shape).format(new Date(ms));
}

// The text of a date-and-time field on the site's clock, and back.
export function fieldTime(ms, zone) {
  const parts = Object.fromEntries(new Intl.DateTimeFormat("en-GB", {
    timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
  }).formatToParts(new Date(ms)).map((part) => [part.type, part.value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

export function fromField(text, zone) {
  if (!text) return null;
  const wanted = Date.parse(`${text}Z`);
  // What the zone is ahead of UTC then: asked twice, as the first guess may lie on the other side of a change of clocks.
  let guess = wanted;
  for (let turn = 0; turn < 2; turn += 1) {
    const minute = Math.floor(guess / 60000) * 60000;
    guess = wanted - (Date.parse(`${fieldTime(minute, zone)}Z`) - minute);
  }
  return guess;
}
