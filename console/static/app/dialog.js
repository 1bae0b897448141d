// A few fields over the page, and what is done with them; nothing is done before all that is required is there.

import { h, put } from "/public/dom.js";

const DRAFT = "tablewatch.draft";

// `done` gives why it could not be done, if so: then all that was typed stays. It stays for `author`, too, where the
// session ends meanwhile, until this is opened again about the same: `about`.
export function dialog(title, fields, done, { author, about, deed = title }) {
  const refused = h("div", { class: "event", role: "alert", hidden: true });
  const submit = h("button", { class: "primary", type: "submit" }, deed);
  const form = h("form", {}, h("h2", {}, title), fields, refused,
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => node.close() }, "Cancel"), submit));
  const node = h("dialog", { "aria-label": title, onclose: () => { document.removeEventListener("session-ended", keep); node.remove(); } }, form);
  const of = JSON.stringify([author, about, deed]);
  const keep = () => sessionStorage.setItem(DRAFT, JSON.stringify({ of, typed: [...new FormData(form)] }));
  document.addEventListener("session-ended", keep);
  const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "{}");
  if (draft.of === of) {
    for (const [name, value] of draft.typed) form.elements[name].value = value;
    sessionStorage.removeItem(DRAFT);
  }
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
