// The page as a whole: which part is shown, and the keys.
import { lists, step, stepRival } from "./lists.js";
import { overview } from "./overview.js";
import { source } from "./source.js";
import { go, state } from "./state.js";

const main = document.getElementById("main");
const status = document.getElementById("status");
const help = document.getElementById("help");
let last = "";

async function show() {
  const { page } = state();
  if (page !== last) { main.replaceChildren(); last = page; }
  for (const name of ["overview", "lists"]) {
    const link = document.getElementById(`to-${name}`);
    if (name === page) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  status.replaceChildren();
  try {
    await (page === "lists" ? lists : overview)(main);
  } catch (error) {
    status.replaceChildren(error instanceof Error ? error.message : String(error));
  }
}

function toggleHelp() {
  help.hidden = !help.hidden;
  document.getElementById("keys").setAttribute("aria-expanded", String(!help.hidden));
}

const KEYS = {
  j: () => step(1), k: () => step(-1), ArrowDown: () => stepRival(1), ArrowUp: () => stepRival(-1),
  "/": () => { if (state().page !== "lists") go({ page: "lists" }); setTimeout(() => document.getElementById("search")?.focus(), 100); },
  o: () => go({ page: "overview" }), l: () => go({ page: "lists" }), "?": toggleHelp,
};

addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
  if (event.key === "Escape" && typing) { event.target.blur(); return; }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  if (event.key.startsWith("Arrow") && state().page !== "lists") return;
  event.preventDefault();
  void KEYS[event.key]();
});
addEventListener("hashchange", () => void show());
document.getElementById("keys").addEventListener("click", toggleHelp);
void source.overview().then((found) => {
  document.getElementById("name").replaceChildren(found.name);
  document.title = `${found.name} – Runoff`;
}).catch(() => {});
void show();
