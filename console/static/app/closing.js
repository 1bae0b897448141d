// How an alert was closed: by whom and when, or by itself.

import { moment, words } from "./format.js";

export const lastClosedFirst = (one, other) => other.closed.at - one.closed.at;

// In a line of the queue.
export const closedLine = ({ state, disposition, closed }) =>
  state === "resolved" ? `resolved as ${disposition} by ${closed.by}, ${moment(closed.at)}` : cleared(closed);

// As a sentence beside it.
export const closedWords = ({ state, disposition, closed }) =>
  state === "resolved" ? `Resolved: ${disposition}, by ${closed.by}, ${moment(closed.at)}.` : `${words(cleared(closed))}.`;

const cleared = (closed) => `cleared by a later fact, ${moment(closed.at)}`;
