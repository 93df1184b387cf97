// The page as a whole: which part is shown, and the keys.
import { listsPage, reweigh, step, stepRival } from "./lists.js";
import { overviewPage } from "./overview.js";
import { source } from "./source.js";
import { go, state } from "./state.js";
import { sayWhatIf } from "./weights.js";

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);
const main = byId("main"), status = byId("status"), help = byId("help");
let last = "";

/** @param {() => any} work whose mistakes are told */
async function told(work) {
  try {
    status.replaceChildren();
    await work();
  } catch (error) {
    status.replaceChildren(error instanceof Error ? error.message : String(error));
  }
}

async function show() {
  const { page } = state();
  if (page !== last) { main.replaceChildren(); last = page; scrollTo(0, 0); }
  for (const name of ["overview", "lists"]) {
    if (name === page) byId(`to-${name}`).setAttribute("aria-current", "page"); else byId(`to-${name}`).removeAttribute("aria-current");
  }
  await told(() => (page === "lists" ? listsPage : overviewPage)(main));
  await told(sayWhatIf);
}

function toggleHelp() {
  help.hidden = !help.hidden;
  byId("keys").setAttribute("aria-expanded", String(!help.hidden));
}

/** @type {Record<string, () => any>} */
const KEYS = {
  j: () => step(1), k: () => step(-1), ArrowDown: () => stepRival(1), ArrowUp: () => stepRival(-1),
  "/": async () => { if (state().page !== "lists") { go({ page: "lists" }, true); await show(); } byId("search")?.focus(); },
  o: () => go({ page: "overview" }), l: () => go({ page: "lists" }), "?": toggleHelp,
};

addEventListener("keydown", (event) => {
  const target = event.target instanceof HTMLElement ? event.target : null;
  const typing = target?.closest("input, select, textarea");
  if (event.key === "Escape" && typing) { target?.blur(); return; }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  if (event.key.startsWith("Arrow") && state().page !== "lists") return;
  event.preventDefault();
  void told(KEYS[event.key]);
});
addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
  const href = link?.getAttribute("href");
  if (href === "#main") { // an address of its own would show another page
    event.preventDefault();
    main.focus();
  } else if (link && href) { // weights may have changed since the link was drawn
    const next = new URLSearchParams(href.slice(1)), { w } = state();
    if (w) next.set("w", w); else next.delete("w");
    link.setAttribute("href", `#${next}`);
  }
}, true);
addEventListener("hashchange", () => void show());
/** @type {any} */
let weighing;
addEventListener("weights", () => {
  clearTimeout(weighing);
  weighing = setTimeout(() => void told(() => Promise.all([sayWhatIf(), reweigh()])), 80);
});
byId("keys").addEventListener("click", toggleHelp);
void source.overview().then((/** @type {any} */ found) => {
  byId("name").replaceChildren(found.name, found.other ? ` beside ${found.other}` : "");
  document.title = `${found.name} – Runoff`;
}).catch(() => {});
void show();
