// The lists: a column to find one in, and everything about the one that is open.
import { counted, make, number } from "./dom.js";
import { bar } from "./overview.js";
import { source } from "./source.js";
import { address, go, state } from "./state.js";
import { compared } from "./words.js";

const SIZE = 100;
const SHOWN = { all: "all", changed: "changed", better: "better than the first choice", worse: "worse than the first choice", missed: "a better one was there", unsure: "low confidence" };
const ORDERS = { input: "as in the file", gain: "largest gain first", loss: "largest loss first", regret: "most missed first", confidence: "least sure first" };

let shown = { key: "", groups: [], total: 0 };

export async function lists(main) {
  const now = state();
  if (!main.querySelector(".lists")) main.replaceChildren(skeleton());
  const key = JSON.stringify([now.show, now.q, now.order]);
  if (shown.key !== key) {
    shown = { key, ...(await source.groups(now, 0, SIZE)) };
    column(main);
  }
  const at = now.at === "" ? shown.groups[0]?.at : Number(now.at);
  for (const link of main.querySelectorAll("ol.groups a")) {
    const mine = Number(link.dataset.at) === at;
    if (mine) { link.setAttribute("aria-current", "true"); link.scrollIntoView({ block: "nearest" }); } else link.removeAttribute("aria-current");
  }
  const place = main.querySelector("#group");
  if (at === undefined) place.replaceChildren(make("p", {}, "No list passes."));
  else place.replaceChildren(...page(await source.group(at, now.rival === "" ? null : Number(now.rival))));
}

function skeleton() {
  const now = state();
  const select = (name, label, values) => make("select", { "aria-label": label, change: (event) => go({ [name]: event.target.value, at: "", rival: "" }) },
    Object.entries(values).map(([value, text]) => make("option", { value, selected: now[name] === value }, text)));
  let typing;
  const search = make("input", { type: "search", id: "search", placeholder: "Search", "aria-label": "Search in ids, inputs and candidates", value: now.q, input: (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => go({ q: event.target.value, at: "", rival: "" }, true), 200);
  } });
  return make("div", { class: "lists" },
    make("section", { "aria-label": "Lists" }, make("div", { class: "bar" }, select("show", "Which lists", SHOWN), select("order", "Order", ORDERS), search),
      make("p", { class: "quiet", id: "total" }), make("ol", { class: "groups", tabindex: 0, "aria-label": "Lists that pass" }), make("div", { class: "bar", id: "more" })),
    make("article", { id: "group", "aria-live": "polite" }));
}

function column(main) {
  main.querySelector("ol.groups").replaceChildren(...shown.groups.map(item));
  main.querySelector("#total").replaceChildren(counted(shown.total, "list"), source.isLive ? "" : " in this report");
  const more = main.querySelector("#more");
  more.replaceChildren();
  if (shown.groups.length < shown.total) more.append(make("button", { type: "button", click: async () => {
    const next = await source.groups(state(), shown.groups.length, SIZE);
    shown.groups.push(...next.groups);
    column(main);
  } }, `Show ${Math.min(SIZE, shown.total - shown.groups.length)} more`));
  if (source.isLive && shown.total) more.append(make("a", { href: source.exportAddress(state()), download: "lists.jsonl" }, "Export these lists"));
}

function item(each) {
  const gain = each.outcome === "better" || each.outcome === "worse" ? ` ${number(each.gain, 2, true)}` : "";
  return make("li", {}, make("a", { href: address({ page: "lists", at: each.at, rival: "" }), "data-at": each.at },
    make("strong", {}, each.id), " ", make("span", { class: `tag ${each.outcome}` }, `${each.outcome}${gain}`), make("span", { class: "text" }, each.text ?? "")));
}

function page(found) {
  const reference = found.references?.[0] ?? null;
  const rival = found.explanation?.rival?.index ?? null;
  const out = [make("h2", {}, found.id, " ", make("span", { class: `tag ${found.outcome}` }, found.outcome),
    found.confidence === null ? null : make("small", {}, ` confidence ${number(found.confidence)}`))];
  const facts = [["input", found.input], ...(found.references ?? []).map((each) => ["reference", each]), ...Object.entries(found.attributes ?? {})];
  out.push(make("table", {}, make("tbody", {}, facts.filter((each) => each[1]).map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, make("pre", { class: "text" }, value)))))));
  out.push(make("h3", {}, counted(found.size, "candidate"), source.isLive && found.size > 1 ? make("small", {}, " – choose one to compare the winner with it") : null), candidates(found, reference, rival));
  if (found.left_out) out.push(make("p", { class: "quiet" }, `${counted(found.left_out, "candidate")} more are not in this report.`));
  if (found.explanation) out.push(...explanation(found.explanation));
  return out;
}

function candidates(found, reference, rival) {
  const has = (name) => found.candidates.some((each) => each[name] !== null && each[name] !== undefined);
  const columns = [["rank", "rank", 0], ["first_rank", "before", 0], ["quality", "quality", 3], ["score", "score", 3], ["probability", "probability", 3], ["base", "first round", 3]].filter(([name]) => has(name));
  const others = found.candidates.some((each) => each.copies > 1);
  return make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, columns.map(([, label]) => make("th", { class: "number", scope: "col" }, label)), others ? make("th", { class: "number", scope: "col" }, "copies") : null, make("th", { scope: "col" }, "candidate"))),
    make("tbody", {}, found.candidates.map((each) => {
      const kind = each.rank === 1 ? "chosen" : each.index === rival ? "rival" : "";
      const text = each.text ?? each.id ?? `candidate ${each.index}`;
      const compare = () => go({ page: "lists", at: found.at, rival: each.index });
      const name = each.rank > 1 && source.isLive ? make("button", { type: "button", click: compare, "aria-label": `compare the winner with candidate ${each.index}` }, "compare") : null;
      return make("tr", { class: kind }, columns.map(([column, , digits]) => make("td", { class: "number" }, number(each[column], digits))),
        others ? make("td", { class: "number" }, String(each.copies)) : null,
        make("td", { class: "text" }, kind ? make("span", { class: "tag" }, kind === "chosen" ? "chosen" : "rival") : null, kind ? " " : null, reference === null ? text : marked(text, reference), " ", name));
    }))));
}

/** A text with the words marked that its reference does not have there. */
function marked(text, other) {
  return compared(text, other).map(({ word, same }) => (same ? word : make("mark", {}, word)));
}

function explanation(found) {
  if (found.problem) return [make("p", { class: "quiet" }, found.problem)];
  if (!found.winner) return [];
  const out = [make("h3", {}, `Why candidate ${found.winner.index} leads candidate ${found.rival.index} by ${number(found.difference, 3)}`)];
  if (found.winner.text && found.rival.text) out.push(make("p", { class: "text" }, marked(found.winner.text, found.rival.text)), make("p", { class: "text quiet" }, marked(found.rival.text, found.winner.text)));
  const most = Math.max(...found.contributions.map((each) => Math.abs(each.amount)), 1e-12);
  const row = (name, amount, title) => make("div", { class: "reason", title }, make("span", { class: "name" }, name), bar(amount, most), make("span", { class: "value" }, number(amount, 3, true)));
  const families = Object.entries(found.families ?? {});
  if (families.length > 1 && families.length < found.contributions.length) out.push(make("h3", {}, "By family"), ...families.map(([name, amount]) => row(name, amount)));
  out.push(make("h3", {}, "By feature"), ...found.contributions.map((each) => row(each.name, each.amount, `${number(each.winner, 3)} against ${number(each.rival, 3)}`)));
  if (found.left_out) out.push(make("p", { class: "quiet" }, `${counted(found.left_out, "feature")} with smaller shares are left out.`));
  return out;
}

/** Open the next list or the one before; choose the rival above or below. */
export function step(by) {
  const now = state();
  const open = shown.groups.findIndex((each) => each.at === (now.at === "" ? shown.groups[0]?.at : Number(now.at)));
  const next = shown.groups[open + by];
  if (next) go({ page: "lists", at: next.at, rival: "" }, true);
}

export async function stepRival(by) {
  const now = state();
  const at = now.at === "" ? shown.groups[0]?.at : Number(now.at);
  if (at === undefined || !source.isLive) return;
  const found = await source.group(at, now.rival === "" ? null : Number(now.rival));
  const order = found.candidates.filter((each) => each.rank > 1).map((each) => each.index);
  const place = order.indexOf(found.explanation?.rival?.index);
  const next = order[Math.min(order.length - 1, Math.max(0, place + by))];
  if (next !== undefined) go({ page: "lists", at, rival: next }, true);
}
