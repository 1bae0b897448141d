// One's own account: who is signed in, as what, and another password.

import { h, put } from "/public/dom.js";
import { put as change } from "./api.js";
import { moment, siteZone, words } from "./format.js";

const SHORTEST = 12;
const NEWS = "tablewatch.news";

export function show(main, room) {
  const who = room.who;
  put(main, h("div", { class: "pad past" },
    h("h1", {}, "Your account"),
    h("section", { class: "panel" },
      h("p", {}, h("b", {}, who.name), ` is signed in as ${words(who.role).toLowerCase()}, until ${moment(who.expires * 1000)} at the latest.`),
      h("p", { class: "muted" }, who.about),
      h("p", { class: "muted" }, `Times on all screens are by the site's clock: ${siteZone()}.`)),
    who.own_password ? passwords(room) : h("section", { class: "panel" }, h("h2", {}, "Password"),
      h("p", {}, "You sign in with the provider of the house: your password is kept and changed there."))));
}

function passwords(room) {
  const said = h("p", { class: "said", role: "alert" });
  const field = (label, name, autocomplete, rules = {}) => h("label", {}, label, h("input", { name, type: "password", required: true, maxlength: 256, autocomplete, ...rules }));
  const form = h("form", { class: "panel account", "aria-label": "Another password", onsubmit: send },
    h("h2", {}, "Another password"),
    // So that the browser keeps the new one under the right name.
    h("input", { name: "name", value: room.who.name, autocomplete: "username", hidden: true }),
    field("Current password", "current", "current-password"),
    field("New password", "new", "new-password", { minlength: SHORTEST }),
    field("New password again", "again", "new-password", { minlength: SHORTEST }),
    h("button", { class: "primary", type: "submit" }, "Change"),
    h("p", { class: "muted" }, `${SHORTEST} characters or more, without your name in them. All your sessions end, on every screen, and you sign in again with the new one.`),
    said);
  return form;

  async function send(event) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form));
    put(said);
    if (given.new !== given.again) {
      put(said, "The two new passwords are not the same.");
      return;
    }
    // Beforehand: the page may be gone, its session ended, before the answer is read.
    sessionStorage.setItem(NEWS, "Your password is changed: sign in with it.");
    try {
      await change("/api/v1/session/password", { current: given.current, new: given.new });
    } catch (problem) {
      sessionStorage.removeItem(NEWS);
      put(said, problem.message);
      return;
    }
    location.assign("/");
  }
}
