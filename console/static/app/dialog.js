// A few fields over the page, and what is done with them; nothing is done before all that is required is there.

import { h } from "/public/dom.js";

export function dialog(title, fields, done) {
  const form = h("form", { method: "dialog" }, h("h2", {}, title), fields,
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => node.close() }, "Cancel"), h("button", { class: "primary", type: "submit" }, title)));
  const node = h("dialog", { "aria-label": title, onclose: () => node.remove() }, form);
  form.addEventListener("submit", () => done(new FormData(form)));
  document.body.append(node);
  node.showModal();
}
