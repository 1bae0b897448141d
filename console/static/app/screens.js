// The screens: their address, the module that draws them, and their place in the bar. A module exports
// show(main, console, parts), which draws the screen and gives back what ends it.

export const SCREENS = [
  { path: /^\/$/, page: "/", name: "Wall", module: "./wall.js", bar: true },
  { path: /^\/tables\/([^/]+)$/, page: "/tables/{table}", name: "Table", module: "./table.js" },
  { path: /^\/desk$/, page: "/desk", name: "Alert desk", module: "./desk.js", bar: true },
  { path: /^\/people$/, page: "/people", name: "People", module: "./people.js", bar: true },
  { path: /^\/access$/, page: "/access", name: "Access log", module: "./access.js", bar: true },
];

export function screenOf(path) {
  for (const screen of SCREENS) {
    const match = screen.path.exec(path);
    if (match) return { screen, parts: match.slice(1).map(decodeURIComponent) };
  }
  return null;
}
