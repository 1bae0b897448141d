// A link to a file. A browser that follows such a link itself tells nobody why it was refused.

import { h, put } from "/public/dom.js";
import { file } from "./api.js";
import { coded } from "./coded.js";

export function fileLink(path, text, answer) {
  const link = h("a", { href: path, download: "", onclick: async (event) => {
    event.preventDefault();
    put(answer, h("p", { class: "muted" }, "…"));
    try {
      const { name, content } = await file(path);
      hand(name, content);
      put(answer);
    } catch (problem) {
      put(answer, h("p", { class: "said" }, coded(problem.message)));
    }
  } }, text);
  return link;
}

function hand(name, content) {
  const href = URL.createObjectURL(content);
  h("a", { href, download: name }).click();
  // The browser reads it after the click: an address that is let go of at once may be gone too soon.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
