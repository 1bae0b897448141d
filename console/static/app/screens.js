// The screens: their address, the module that draws them, and their place in the bar. A module exports
// show(main, console, parts), which draws the screen and gives back what ends it.

export const SCREENS = [
  { path: /^\/$/, page: "/", name: "Wall", module: "./wall.js", bar: true },
  { path: /^\/tables\/([^/]+)$/, page: "/tables/{table}", name: "Table", module: "./table.js" },
  { path: /^\/desk$/, page: "/desk", name: "Alert desk", module: "./desk.js", bar: true },
  { path: /^\/rounds$/, page: "/rounds", name: "Replay", module: "./rounds.js", bar: true },
  { path: /^\/rounds\/([^/]+)\/(.+)\/([0-9]+)$/, page: "/rounds/{table}/{shoe:path}/{round:int}", name: "Round", module: "./round.js" },
  { path: /^\/reports$/, page: "/reports", name: "Reports", module: "./reports.js", bar: true },
  { path: /^\/reports\/incidents\/([0-9a-f]{32})$/, page: "/reports/incidents/{finding}", name: "Incident", module: "./incident.js" },
  { path: /^\/changes$/, page: "/changes", name: "Changes", module: "./changes.js", bar: true },
  { path: /^\/people$/, page: "/people", name: "People", module: "./people.js", bar: true },
  { path: /^\/access$/, page: "/access", name: "Access log", module: "./access.js", bar: true },
  { path: /^\/account$/, page: "/account", name: "Your account", module: "./account.js" },
];

export function screenOf(path) {
  for (const screen of SCREENS) {
    const match = screen.path.exec(path);
    if (match) return { screen, parts: match.slice(1).map(decodeURIComponent) };
  }
  return null;
}
