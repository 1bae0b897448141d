// Words with commands in them: what stands between two backticks is shown as code. All of it goes in as text, never as markup.

import { h } from "/public/dom.js";

export const coded = (text) => text.split(/`([^`]+)`/).map((part, place) => place % 2 ? h("code", {}, part) : part).filter((part) => part !== "");
