// The end of a session: the same address shows the sign-in page then, which says why.

const NEWS = "tablewatch.news";
let leaving = false;

// Elsewhere, or by itself: what is being written is kept.
export function signInAgain() {
  if (!leaving && !sessionStorage.getItem(NEWS)) sessionStorage.setItem(NEWS, "Your session has ended: sign in again.");
  document.dispatchEvent(new Event("session-ended"));
  location.reload();
}

// By the person's own wish, of which nothing need be said.
export function leave() {
  leaving = true;
}

// Nothing that was to be said of an earlier session is said at the end of this one.
export function begun() {
  sessionStorage.removeItem(NEWS);
}
