// A few fields over the page, and what is done with them; nothing is done before all that is required is there.

import { h, put } from "/public/dom.js";

// `done` gives why it could not be done, if so: then all that was typed stays.
export function dialog(title, fields, done, deed = title) {
  const refused = h("div", { class: "event", role: "alert", hidden: true });
  const submit = h("button", { class: "primary", type: "submit" }, deed);
  const form = h("form", {}, h("h2", {}, title), fields, refused,
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => node.close() }, "Cancel"), submit));
  const node = h("dialog", { "aria-label": title, onclose: () => node.remove() }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    const problem = await done(new FormData(form));
    if (!problem) {
      node.close();
      return;
    }
    submit.disabled = false;
    put(refused, problem);
    refused.hidden = false;
  });
  document.body.append(node);
  node.showModal();
}
