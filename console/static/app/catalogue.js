// Games, wagers, codes, readings and grounds of a void round that can be chosen from, asked for once.

import { get } from "./api.js";

let asked = null;

export function catalogue() {
  asked ??= get("/api/v1/catalogue").catch((problem) => {
    asked = null;
    throw problem;
  });
  return asked;
}

// A card whose last letter is an element is of the 65-card deck: no suit has that letter.
export const ELEMENTS = /[FGEWA]$/;
