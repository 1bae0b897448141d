// Amounts of a currency, and spans of time, as reports and replays write them.

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
  const wanted = Date.parse(`${text}:00Z`);
  // What the zone is ahead of UTC then: asked twice, as the first guess may lie on the other side of a change of clocks.
  let guess = wanted;
  for (let turn = 0; turn < 2; turn += 1) guess = wanted - (Date.parse(`${fieldTime(guess, zone)}:00Z`) - guess);
  return guess;
}
