// Asks the console's API; what goes wrong comes back as one sentence for people.

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

export const get = (path) => ask("GET", path);
export const post = (path, body) => ask("POST", path, body);
export const patch = (path, body) => ask("PATCH", path, body);
export const put = (path, body) => ask("PUT", path, body);
export const remove = (path) => ask("DELETE", path);

async function ask(method, path, body) {
  const headers = {};
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Problem(0, "The console cannot be reached.");
  }
  if (answer.status === 401) {
    // The session has ended: the same address shows the sign-in page.
    location.reload();
    throw new Problem(401, "Sign in again.");
  }
  if (answer.status === 204) return null;
  const told = await answer.json().catch(() => null);
  if (!answer.ok) {
    const detail = told?.detail ?? `The console answers ${answer.status}.`;
    throw new Problem(answer.status, sentence([detail, ...(told?.errors ?? [])].join(" — ")));
  }
  return told;
}

function sentence(text) {
  const first = text[0].toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
