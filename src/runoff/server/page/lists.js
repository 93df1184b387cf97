// The lists: a column to find one in, and everything about the one that is open.
import { counted, make, number } from "./dom.js";
import { groupPage, showChangedRanks, tag } from "./group.js";
import { source } from "./source.js";
import { address, go, state } from "./state.js";

const SIZE = 100;
const SHOWN = { all: "all lists", changed: "changed", better: "fixed: better than the first choice", worse: "broken: worse than the first choice", missed: "oracle missed: a better one was there", unsure: "low confidence (below 0.5)" };
const OF_TWO = { differ: "the two models differ", ahead: "better than the other model", behind: "worse than the other model" };
const ORDERS = { input: "as in the file", gain: "largest gain first", loss: "largest loss first", regret: "most missed first", confidence: "least sure first" };

/** @type {{key: string, start: number, groups: any[], total: number}} */
let shown = { key: "", start: 0, groups: [], total: 0 };

/** @param {HTMLElement} main */
export async function listsPage(main) {
  const now = state();
  if (!main.querySelector(".lists")) { main.replaceChildren(skeleton(await source.overview())); shown.key = ""; }
  const key = JSON.stringify([now.show, now.q, now.order, now.start, now.show === "moved" ? now.w : ""]);
  if (shown.key !== key) {
    const around = now.start === "" && now.at !== "" ? Number(now.at) : null;
    shown = { key, ...(await source.groups(Number(now.start) || 0, SIZE, around)) };
    column(main);
  }
  const at = openList();
  for (const link of main.querySelectorAll("ol.groups a")) {
    const mine = Number(/** @type {HTMLElement} */ (link).dataset.at) === at;
    if (mine) { link.setAttribute("aria-current", "true"); link.scrollIntoView({ block: "nearest" }); } else link.removeAttribute("aria-current");
  }
  const place = /** @type {HTMLElement} */ (main.querySelector("#group"));
  if (at === undefined) place.replaceChildren(make("p", {}, "No list passes. ", make("a", { href: address({ show: "all", q: "", start: "", at: "" }) }, "Show all")));
  else {
    const found = await source.group(at, now.rival === "" ? null : Number(now.rival));
    if (at === openList()) place.replaceChildren(...groupPage(found));
  }
}

/** The number of the list that is open. */
function openList() {
  const { at } = state();
  return at === "" ? shown.groups[0]?.at : Number(at);
}

/** @param {any} found the overview */
function skeleton(found) {
  const now = state();
  /** @param {"show" | "order"} name @param {string} label @param {Record<string, string>} values */
  const select = (name, label, values) => make("select", { "aria-label": label, id: name, change: (/** @type {any} */ event) => go({ [name]: event.target.value, at: "", rival: "", start: "" }) },
    Object.entries(values).map(([value, text]) => make("option", { value, selected: now[name] === value }, text)));
  /** @type {any} */
  let typing;
  const search = make("input", { type: "search", id: "search", placeholder: "Search texts and ids", "aria-label": "Search in ids, inputs and candidates", value: now.q, maxlength: 1000, input: (/** @type {any} */ event) => {
    clearTimeout(typing);
    typing = setTimeout(() => go({ q: event.target.value, at: "", rival: "", start: "" }, true), 200);
  } });
  const filters = { ...SHOWN, ...(found.other && source.isLive ? OF_TWO : {}), ...(source.isLive && found.families?.length ? { moved: "moved by the changed weights" } : {}) };
  return make("div", { class: "lists" },
    make("section", { "aria-label": "Lists" }, make("div", { class: "bar" }, found.model || found.metric ? select("show", "Which lists", filters) : null, found.metric || found.model ? select("order", "Order", ORDERS) : null, search),
      make("div", { class: "bar pager", id: "pager" }), make("ol", { class: "groups", tabindex: 0, "aria-label": "Lists that pass" }), make("div", { class: "bar", id: "more" })),
    make("article", { id: "group", "aria-live": "polite" }));
}

/** @param {HTMLElement} main */
function column(main) {
  const { start, total, groups } = shown;
  /** @param {string} selector @param {...any} content */
  const put = (selector, ...content) => main.querySelector(selector)?.replaceChildren(...content);
  put("ol.groups", ...groups.map(item));
  const last = Math.max(0, Math.ceil(total / SIZE) - 1) * SIZE;
  /** @param {string} label @param {string} name @param {number} to @param {boolean} able */
  const turn = (label, name, to, able) => make("button", { type: "button", "aria-label": name, title: name, disabled: !able, click: () => go({ start: to, at: "", rival: "" }) }, label);
  const where = total > SIZE ? `${number(start + 1, 0)}–${number(start + groups.length, 0)} of ${counted(total, "list")}` : counted(total, "list");
  put("#pager", make("span", { class: "quiet", id: "total" }, where, source.isLive ? "" : " in this report"),
    ...(total > SIZE ? [turn("«", "first page", 0, start > 0), turn("‹", "page before", Math.max(0, start - SIZE), start > 0), turn("›", "next page", start + SIZE, start + SIZE < total), turn("»", "last page", last, start < last)] : []));
  put("#more", ...(source.isLive && total ? [make("a", { href: source.exportAddress(), download: "lists.jsonl" }, `Export ${total === 1 ? "this list" : `these ${number(total, 0)} lists`}`)] : []));
}

/** @param {any} each */
function item(each) {
  const isChange = each.outcome === "better" || each.outcome === "worse";
  return make("li", {}, make("a", { href: address({ page: "lists", at: each.at, rival: "", all: "" }), "data-at": each.at },
    make("strong", {}, make("bdi", {}, each.id)), " ", each.outcome === "kept" ? null : tag(each.outcome, isChange ? each.gain : 0), make("span", { class: "text", dir: "auto" }, each.text ?? "")));
}

/** Open the next list or the one before. @param {number} by */
export async function step(by) {
  const at = openList(), place = shown.groups.findIndex((each) => each.at === at) + by;
  const next = shown.groups[place];
  if (next) return go({ page: "lists", at: next.at, rival: "", all: "" }, true);
  const start = shown.start + by * SIZE;
  if (start < 0 || start >= shown.total) return undefined;
  const found = await source.groups(start, SIZE, null);
  const edge = found.groups.at(by > 0 ? 0 : -1);
  return go({ page: "lists", start, at: edge.at, rival: "" }, true);
}

/** Choose the rival above or below. @param {number} by */
export function stepRival(by) {
  const rows = [...document.querySelectorAll("#candidates tbody tr")].filter((each) => each.querySelector(".compare"));
  if (!rows.length) return;
  const place = rows.findIndex((each) => each.classList.contains("rival"));
  const next = /** @type {HTMLElement} */ (rows[Math.min(rows.length - 1, Math.max(0, place + by))]);
  go({ page: "lists", at: openList(), rival: next.dataset.index }, true);
}

/** What changed weights change here. */
export async function reweigh() {
  const at = openList();
  if (at !== undefined && document.getElementById("candidates")) await showChangedRanks(at);
}

