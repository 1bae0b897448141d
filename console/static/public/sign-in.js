// Signs in, and asks for the same address again.
const form = document.getElementById("sign-in");
const said = document.getElementById("said");
const NEWS = "tablewatch.news";
const button = form.querySelector("button");

// What a page before this one has to say.
document.getElementById("news").textContent = sessionStorage.getItem(NEWS) ?? "";
sessionStorage.removeItem(NEWS);

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  said.textContent = "";
  try {
    const answer = await fetch("/api/v1/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: form.elements.name.value, password: form.elements.password.value }),
    });
    if (answer.ok) {
      location.reload();
      return;
    }
    const problem = await answer.json().catch(() => null);
    said.textContent = problem?.detail ? sentence(problem.detail) : "The console does not answer as it should.";
  } catch {
    said.textContent = "The console cannot be reached.";
  }
  button.disabled = false;
  form.elements.password.value = "";
  form.elements.password.focus();
});

// Until here the browser itself would have sent the form, to a page that takes none.
button.disabled = false;

// The house's own accounts, where there are any.
const ways = await fetch("/api/v1/sign-in").then((answer) => answer.json()).catch(() => null);
if (ways?.provider) {
  const link = document.getElementById("provider");
  link.href = "/sign-in/oidc";
  link.textContent = `Sign in with ${ways.provider}`;
  link.parentNode.classList.remove("hidden");
}

function sentence(text) {
  return text[0].toUpperCase() + text.slice(1) + ".";
}
