// One list: its input and references, its candidates, and why one of them leads another.
import { bar, counted, gainText, make, number } from "./dom.js";
import { drawings } from "./drawings.js";
import { source } from "./source.js";
import { go, state, weights } from "./state.js";
import { slider } from "./weights.js";
import { compared, comparedWithClosest } from "./words.js";

const FEW = 10, REASONS = 12; // candidates and features that are shown before more are asked for
const OUTCOMES = /** @type {Record<string, string>} */ ({ kept: "first choice kept", better: "fixed", worse: "broken", equal: "changed, as good", empty: "no candidates" });

/** @param {string} outcome @param {number} [gain] */
export function tag(outcome, gain) {
  const sign = { better: "▲ ", worse: "▼ " }[outcome] ?? "";
  return make("span", { class: `tag ${outcome}` }, `${sign}${OUTCOMES[outcome] ?? outcome}${gain ? ` ${gainText(gain)}` : ""}`);
}

/** @param {any} found @returns {any[]} */
export function groupPage(found) {
  const out = [make("h2", {}, make("bdi", {}, found.id), " ", tag(found.outcome, found.gain), found.confidence === null ? null : make("small", {}, ` confidence ${number(found.confidence)}`),
    gainText(found.regret) ? make("small", {}, ` · the best candidate is ${gainText(found.regret).slice(1)} better`) : null)];
  const references = found.readable ? found.references ?? [] : [];
  const facts = [["input", found.input], ...references.map((/** @type {string} */ each) => ["reference", each]), ...Object.entries(found.attributes ?? {})].filter((each) => each[1]);
  if (facts.length) out.push(make("dl", { class: "facts" }, facts.map(([name, value]) => [make("dt", {}, name), make("dd", { dir: "auto", class: "text" }, value)])));
  if (!found.readable) out.push(...drawings(found.drawings));
  out.push(make("div", { class: "bar" }, make("h3", {}, counted(found.size, "candidate")), marksChoice(found)), make("div", { id: "candidates" }, candidateTable(found)));
  const shown = shownCandidates(found).length;
  if (shown < found.candidates.length) out.push(make("button", { type: "button", click: () => go({ all: 1 }, true) }, `Show all ${number(found.candidates.length, 0)} candidates`));
  if (found.size > found.candidates.length) out.push(make("p", { class: "quiet" }, `${counted(found.size - found.candidates.length, "candidate")} with lower ranks ${source.isLive ? "are not shown" : "are not in this report"}.`));
  out.push(...clusters(found));
  if (found.readable) out.push(...drawings(found.drawings));
  if (found.explanation) out.push(...explanation(found.explanation, found.readable));
  return out;
}

/** The best candidates and the rival, or all of them if so asked. @param {any} found @returns {any[]} */
function shownCandidates(found) {
  return state().all ? found.candidates : found.candidates.filter((/** @type {any} */ each, /** @type {number} */ at) => at < FEW || each.index === found.rival || each.first_rank === 1 || each.changed_rank === 1 || each.other_rank === 1);
}

/** @param {any} found */
function marksChoice(found) {
  const able = [["reference", "beside the reference", found.references?.length], ["rival", "beside the rival", found.rival !== null], ["none", "none", true]].filter((each) => each[2]);
  if (able.length < 2 || !found.candidates.some((/** @type {any} */ each) => each.text)) return null;
  return make("label", { class: "quiet" }, "Differences of words: ", make("select", { change: (/** @type {any} */ event) => go({ marks: event.target.value }, true) },
    able.map(([value, text]) => make("option", { value, selected: shownMarks(found) === value }, text))));
}

/** @param {any} found */
function shownMarks(found) {
  const { marks } = state();
  const usual = !found.readable ? "none" : found.references?.length ? "reference" : "rival";
  const asked = marks || usual;
  return asked === "rival" && found.rival === null ? "none" : asked;
}

/** @param {any} found */
function columnsOf(found) {
  const all = /** @type {[string, string, number, string][]} */ ([["rank", "rank", 0, "by the model"], ["changed_rank", "what if", 0, "rank by the changed weights"], ["other_rank", "other", 0, "rank by the other model"], ["first_rank", "before", 0, "rank by the first round"],
    ["quality", "quality", 3, "by the metric, higher is better"], ["score", "score", 3, "of the model"], ["probability", "prob.", 3, "the model's, of the text"], ["base", "first round", 3, "its score"], ["votes", "votes", 0, "equal candidates in this list"]]);
  /** @param {string} name */
  const told = (name) => found.candidates.some((/** @type {any} */ each) => each[name] !== null && each[name] !== undefined && (name !== "votes" || each.votes > 1));
  return all.filter(([name]) => told(name) && !(name === "rank" && found.confidence === null));
}

/** @param {any} found */
export function candidateTable(found) {
  const columns = columnsOf(found), how = shownMarks(found);
  const rival = found.candidates.find((/** @type {any} */ each) => each.index === found.rival);
  const others = how === "reference" ? found.references : how === "rival" && rival?.text ? [rival.text] : [];
  const mayCompare = source.isLive && found.size > 1;
  return make("div", { class: "scroll" }, make("table", { class: "candidates" },
    make("thead", {}, make("tr", {}, columns.map(([, label, , title]) => make("th", { class: "number", scope: "col", title }, label)), make("th", { scope: "col" }, "candidate"), mayCompare ? make("th", { scope: "col" }, "rival") : null)),
    make("tbody", {}, shownCandidates(found).map((/** @type {any} */ each) => {
      const kind = each.rank === 1 ? "chosen" : each.index === found.rival ? "rival" : "";
      const text = each.text ?? each.id ?? `candidate ${each.index}`;
      const shown = each.text && others?.length && each.index !== (how === "rival" ? found.rival : -1) ? marked(comparedWithClosest(text, others)) : text;
      const names = [each.rank === 1 && found.confidence !== null ? "chosen" : null, each.first_rank === 1 ? "first round" : null, each.other_rank === 1 ? "other model" : null, each.changed_rank === 1 ? "what if" : null].filter(Boolean);
      return make("tr", { class: kind, "data-index": each.index },
        columns.map(([column, label, digits]) => make("td", { class: "number", "data-label": label }, number(each[column], digits), column === "first_rank" ? movement(each) : null)),
        make("td", { class: found.readable ? "text" : "text code", dir: "auto" }, names.map((name) => [make("span", { class: `tag role ${name === "chosen" ? "chosen" : ""}` }, name), " "]), each.cluster !== each.index ? make("span", { class: "quiet" }, `as candidate ${each.cluster}: `) : null, shown),
        mayCompare ? make("td", {}, each.rank > 1 ? make("button", { type: "button", class: "compare", "aria-pressed": String(each.index === found.rival), click: () => go({ page: "lists", at: found.at, rival: each.index }), "aria-label": `compare the winner with candidate ${each.index}` }, "compare") : null) : null);
    }))));
}

/** How many places a candidate won or lost. @param {any} each */
function movement(each) {
  const by = each.first_rank - each.rank;
  return by ? make("span", { class: by > 0 ? "moved better" : "moved worse" }, ` ${by > 0 ? "▲" : "▼"}${Math.abs(by)}`) : null;
}

/** @param {import("./words.js").Piece[]} pieces */
function marked(pieces) {
  return pieces.flatMap(({ word, kind }, at) => [at ? " " : null, kind === "same" ? word : kind === "extra" ? make("mark", {}, word) : make("del", {}, word)]);
}

/** Equal answers and their votes, where candidates repeat each other. @param {any} found */
function clusters(found) {
  const leaders = found.candidates.filter((/** @type {any} */ each) => each.cluster === each.index && each.votes > 1);
  if (!leaders.length) return [];
  const single = found.candidates.filter((/** @type {any} */ each) => each.votes === 1).length;
  const sorted = [...leaders].sort((a, b) => b.votes - a.votes).slice(0, 12);
  return [make("h3", {}, "Equal answers and their votes"), make("div", { class: "votes" }, sorted.map((each) => make("div", { class: "vote" },
    make("span", { class: "name", dir: "auto" }, each.text), make("span", { class: "meter", "aria-hidden": "true" }, make("span", { class: "amount", style: { width: `${(100 * each.votes) / found.size}%` } })),
    make("span", { class: "value" }, `${each.votes} of ${found.size}`, each.rank === 1 ? ", chosen" : "")))),
  single ? make("p", { class: "quiet" }, `${counted(single, "answer")} with one vote.`) : null].filter(Boolean);
}

/** @param {any} found @param {boolean} readable */
function explanation(found, readable) {
  if (found.problem) return [make("p", { class: "quiet" }, found.problem)];
  if (!found.winner) return [];
  const lead = found.difference >= 0 ? "leads" : "trails";
  const votes = found.votes ? `, with ${number(found.votes.winner, 0)} to ${number(found.votes.rival, 0)} of ${number(found.votes.all, 0)} votes` : "";
  const out = [make("h3", {}, `Why candidate ${found.winner.index} ${lead} candidate ${found.rival.index} by ${number(Math.abs(found.difference), 3)}${votes}`)];
  if (readable && found.winner.text && found.rival.text) {
    out.push(make("p", { class: "text", dir: "auto" }, marked(compared(found.winner.text, found.rival.text))),
      make("p", { class: "quiet" }, make("mark", {}, "Marked"), " words are only in the chosen candidate, ", make("del", {}, "struck"), " ones only in the rival."));
  }
  if (!found.contributions.length) return [...out, make("p", { class: "quiet" }, "The model weighs nothing in which the two differ.")];
  const weighable = source.isLive && found.contributions.every((/** @type {any} */ each) => each.weight !== null) && !found.votes;
  /** @param {string} name @param {number} amount @param {number} most @param {string} [title] */
  const row = (name, amount, most, title) => make("div", { class: weighable ? "reason weighable" : "reason", title }, make("span", { class: "name" }, name), bar(amount, most), make("span", { class: "value" }, number(amount, 3, true)), weighable ? slider(name) : null);
  const families = Object.entries(found.families ?? {});
  if (families.length > 1 && families.length < found.contributions.length) {
    const most = Math.max(...families.map(([, amount]) => Math.abs(amount)), 1e-12);
    out.push(make("h4", {}, "By family"), make("div", { class: "reasons" }, families.map(([name, amount]) => row(name, amount, most))));
  }
  const most = Math.max(...found.contributions.map((/** @type {any} */ each) => Math.abs(each.amount)), 1e-12);
  const features = found.contributions.map((/** @type {any} */ each) => row(each.name, each.amount, most, `${number(each.winner, 3)} against ${number(each.rival, 3)}`));
  out.push(make("h4", {}, "By feature"), make("div", { class: "reasons" }, features.slice(0, REASONS)));
  if (features.length > REASONS) out.push(make("details", {}, make("summary", {}, `${features.length - REASONS} more`), make("div", { class: "reasons" }, features.slice(REASONS))));
  if (weighable) out.push(make("p", { class: "quiet" }, "Sliders multiply a weight: ranks, the score and switches of all lists change at once."));
  if (found.left_out) out.push(make("p", { class: "quiet" }, `${counted(found.left_out, "feature")} with smaller shares are left out.`));
  return out;
}

/** Ranks by changed weights, without drawing the rest anew. @param {number} at */
export async function showChangedRanks(at) {
  const place = document.getElementById("candidates");
  const { rival } = state();
  if (!place) return;
  const asked = JSON.stringify(weights());
  const found = await source.group(at, rival === "" ? null : Number(rival));
  if (asked === JSON.stringify(weights())) place.replaceChildren(candidateTable(found));
}
