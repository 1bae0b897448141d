// The people who may sign in: for administrators.

import { h, put } from "/public/dom.js";
import { get, patch, post } from "./api.js";
import { moment, words } from "./format.js";
import { stacked } from "./stacked.js";

const ROLES = ["operator", "shift_manager", "auditor", "administrator"];

export function show(main, room) {
  const list = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Everybody" });
  const form = h("form", { class: "tools panel", onsubmit: add, "aria-label": "Add somebody" },
    h("label", {}, "Name", h("input", { name: "name", required: true, minlength: 2, maxlength: 64, pattern: "[a-z0-9][a-z0-9._\\-]+", autocomplete: "off" })),
    h("label", {}, "Role", h("select", { name: "role" }, ROLES.map((role) => h("option", { value: role }, words(role))))),
    h("label", {}, "First password", h("input", { name: "password", type: "password", required: true, minlength: 12, maxlength: 256, autocomplete: "new-password" })),
    h("button", { class: "primary", type: "submit" }, "Add"));
  put(main, h("div", { class: "pad past" }, h("h1", {}, "People"), h("p", { class: "muted" }, "Nobody is deleted: logs name them. A role or access of one's own is changed by another administrator. A forgotten password is set on the console's machine, with ", h("code", {}, "tablewatch console users password NAME"), ": whoever could set another administrator's here could approve changes alone."), form, h("section", { class: "panel" }, list)));
  draw();

  async function add(event) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form));
    if (await tried(() => post("/api/v1/people", given), `${given.name} may sign in.`)) form.reset();
  }

  // Whether it could be done.
  async function tried(does, said) {
    let done = true;
    try {
      await does();
      room.say(said);
    } catch (problem) {
      done = false;
      room.say(problem.message);
    }
    await draw();
    return done;
  }

  async function draw() {
    let people;
    try {
      people = await get("/api/v1/people");
    } catch (problem) {
      put(list, h("p", { class: "said" }, problem.message));
      return;
    }
    put(list, stacked(h("table", {}, h("thead", {}, h("tr", {}, ["Name", "Role", "Signs in by", "Since", "State", ""].map((text) => text ? h("th", { scope: "col" }, text) : h("td")))),
      h("tbody", {}, people.map((person) => {
        const own = person.name === room.who.name;
        const path = `/api/v1/people/${encodeURIComponent(person.name)}`;
        const role = h("select", { "aria-label": `Role of ${person.name}`, disabled: own, onchange: () => tried(() => patch(path, { role: role.value }), `${person.name} is ${words(role.value).toLowerCase()} now${person.own_password ? "" : ", until the provider's groups say otherwise at the next sign-in"}.`) },
          ROLES.map((each) => h("option", { value: each, selected: each === person.role }, words(each))));
        return h("tr", {}, h("th", { scope: "row" }, person.name), h("td", {}, role), h("td", {}, person.own_password ? "password" : "provider"), h("td", {}, moment(person.made * 1000)),
          h("td", {}, person.disabled ? `disabled ${moment(person.disabled * 1000)}` : person.locked_until * 1000 > Date.now() ? `locked until ${moment(person.locked_until * 1000)}` : "may sign in"),
          h("td", {}, own ? null : h("button", { type: "button", onclick: () => tried(() => patch(path, { disabled: !person.disabled }), `${person.name} is ${person.disabled ? "enabled" : "disabled"}.`) }, person.disabled ? "Enable" : "Disable")));
      })))));
  }
}
