// Asks the console's API; what goes wrong comes back as one sentence for people.

import { signInAgain } from "./signed-out.js";

let csrf = "";

export function useToken(token) {
  csrf = token;
}

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

// Whether the same may be answered in a while: the console or its store is away, or was asked too often.
export const passes = ({ status }) => !status || status === 429 || status >= 500;

export const get = (path) => ask("GET", path);
export const post = (path, body) => ask("POST", path, body);
export const patch = (path, body) => ask("PATCH", path, body);
export const put = (path, body) => ask("PUT", path, body);
export const remove = (path) => ask("DELETE", path);

async function ask(method, path, body) {
  const answer = await reach(method, path, body);
  return answer.status === 204 ? null : answer.json().catch(() => null);
}

// A file as the server names it.
export async function file(path) {
  const answer = await reach("GET", path);
  const name = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition"))?.[1] ?? "";
  return { name, content: await answer.blob() };
}

async function reach(method, path, body) {
  const headers = {};
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Problem(0, method === "GET" ? "The console cannot be reached." : "The console cannot be reached: as far as is known, this does not count.");
  }
  if (answer.status === 401) {
    signInAgain();
    throw new Problem(401, "Sign in again.");
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => null);
    const detail = told?.detail ?? `The console answers ${answer.status}.`;
    throw new Problem(answer.status, sentence([detail, ...(told?.errors ?? [])].join(" — ")));
  }
  return answer;
}

function sentence(text) {
  const first = text[0].toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
