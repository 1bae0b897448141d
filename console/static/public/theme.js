// The look that was chosen, before anything is drawn.
const KEY = "tablewatch.theme";

export function themeNow() {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "dark" || chosen === "light") return chosen;
  return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

export function showTheme() {
  document.documentElement.dataset.theme = themeNow();
}

export function otherTheme() {
  localStorage.setItem(KEY, themeNow() === "dark" ? "light" : "dark");
  showTheme();
}

showTheme();
