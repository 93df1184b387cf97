// The first page: what was won, what could be, how sure that is, and what would change it.
import { bar, card, counted, make, number } from "./dom.js";
import { curve, intervals, reliability } from "./charts.js";
import { moreListsCard, trainingCard } from "./training.js";
import { source } from "./source.js";
import { address } from "./state.js";
import { slider } from "./weights.js";

/** @param {HTMLElement} main */
export async function overviewPage(main) {
  const found = await source.overview();
  const cards = make("div", { class: "cards" });
  main.replaceChildren(...finding(found), cards);
  cards.append(...[choicesCard(found), outcomesCard(found), oracleCard(found), thresholdCard(found), familiesCard(found), sureCard(found), moreListsCard(found), trainingCard(found), comparisonCard(found)].filter(Boolean));
  main.append(make("p", { class: "quiet small" }, [...(found.notes ?? []), found.model, found.metric ? `signature: ${found.metric.signature}` : null].filter(Boolean).join(" · ")));
}

/** @param {any} found */
function finding(found) {
  const what = `${counted(found.groups, "list")} with ${counted(found.candidates, "candidate")} (${found.task}).`;
  if (!found.metric) return [make("p", { class: "finding" }, `${what} Nothing can be judged without references or quality; the lists can be looked at.`)];
  if (!found.gain) return [make("p", { class: "finding" }, `${what} No model was given: this is what a better choice could win.`)];
  const { name, digits, higher_is_better: higher } = found.metric, gain = found.gain;
  const [first, chosen] = ["first round", "chosen"].map((each) => found.choices.find((/** @type {any} */ one) => one.name === each).score);
  const p = gain.p < 0.001 ? "< 0.001" : number(gain.p, 3);
  const verb = gain.delta > 0 ? "better" : gain.delta < 0 ? "worse" : "the same";
  return [
    make("p", { class: "finding" }, make("strong", {}, `${name} ${number(first, digits)} → ${number(chosen, digits)}`), `: ${number(Math.abs(gain.delta), digits)} ${verb} than the first round `,
      make("span", { class: "quiet" }, `(95% interval of the gain ${number(gain.low, digits, true)} to ${number(gain.high, digits, true)}, p ${p}; ${higher ? "higher" : "lower"} is better). ${what}`)),
    ...(found.warnings ?? []).map((/** @type {string} */ each) => make("p", { class: "warning" }, each)),
  ];
}

/** @param {any} found */
function choicesCard(found) {
  if (!found.choices) return null;
  const better = found.metric.higher_is_better ? "higher" : "lower";
  return card(`${found.metric.name} of every way to choose (${better} is better)`, intervals(`${found.metric.name} of every way to choose, with 95% intervals`, found.choices, found.metric.digits),
    make("p", { class: "quiet" }, `Bars are 95% intervals. First round: ${found.first_round}; oracle: the best candidate of every list.`));
}

/** @param {string} show @param {string} order @param {string} label */
function listLink(show, order, label) {
  return make("a", { href: address({ page: "lists", show, order, at: "", rival: "", start: "", q: "" }) }, label);
}

/** @param {any} found */
function outcomesCard(found) {
  if (!found.gain) return null;
  const means = { kept: "the first choice was kept", better: "fixed: another choice, and a better one", worse: "broken: another choice, and a worse one", equal: "another choice, as good as the first", empty: "no candidates" };
  const all = Math.max(1, found.groups);
  const rows = Object.entries(means).filter(([name]) => found.outcomes[name]).map(([name, text]) => {
    const order = name === "better" ? "gain" : "loss";
    const label = name === "better" || name === "worse" ? listLink(name, order, text) : text;
    return make("tr", {}, make("td", {}, label), make("td", { class: "number" }, number(found.outcomes[name], 0)),
      make("td", { class: "meter" }, make("span", { class: `amount ${name}`, style: { width: `${(100 * found.outcomes[name]) / all}%` } })));
  });
  return card("What became of the first choices", make("table", {}, make("tbody", {}, rows)),
    found.recovered === null ? null : make("p", {}, make("strong", {}, `${number(100 * found.recovered, 1)}%`), " of what the oracle could win was won. ", listLink("missed", "regret", "See what was missed")));
}

/** @param {any} found */
function oracleCard(found) {
  if (!found.oracle_at || found.oracle_at.length < 2) return null;
  const chosen = found.choices?.find((/** @type {any} */ each) => each.name === "chosen");
  const ks = found.oracle_at.map((/** @type {any} */ each) => each[0]);
  const last = ks[ks.length - 1];
  return card("How good is the best of the first k candidates?", curve("Score of the best of the first k candidates (oracle at k)", found.oracle_at, {
    x: "k, in the order of the first round", y: found.metric.name, log: true, dots: true,
    marks: ks.filter((/** @type {number} */ k) => k === last || ([1, 2, 5, 10, 20, 50, 100].includes(k) && 1.6 * k <= last)),
    rules: chosen ? [[chosen.score, "chosen"]] : [],
  }).svg);
}

/** @param {any} found */
function sureCard(found) {
  if (!found.reliability) return null;
  const { bins, means } = found.reliability, error = found.reliability.expected_calibration_error;
  return card("Does confidence mean what it says?", reliability("Confidence of choices against the share that is right", bins),
    make("p", { class: "quiet" }, `A choice is right if it is ${means === "best" ? "the best of its list" : means}. Expected calibration error ${number(error, 3)}. `, listLink("unsure", "confidence", "See the least sure choices")));
}

/** @param {any} found */
function thresholdCard(found) {
  const points = found.thresholds;
  if (!points || points.length < 2) return null;
  const { digits, name, higher_is_better: higher } = found.metric;
  const first = found.choices.find((/** @type {any} */ each) => each.name === "first round").score;
  const said = make("p", { "aria-live": "polite" });
  const drawn = curve("Score by the number of switches", points.map((/** @type {any} */ each) => [each.switched, each.score]), { x: "switches, the largest leads first", y: name, rules: [[first, "first round"]] });
  const input = make("input", { type: "range", min: 0, max: points.length - 1, value: points.length - 1, "aria-label": "How many first choices are left", input: say });
  function say() {
    const at = points[Number(input.value)];
    const gain = higher ? at.score - first : first - at.score;
    drawn.here([at.switched, at.score]);
    said.replaceChildren(make("strong", {}, counted(at.switched, "switch", "switches")), at.switched ? `, with a lead of at least ${number(at.lead, 3)}` : "", `: ${name} ${number(at.score, digits)}, gain `, make("strong", {}, number(gain, digits, true)), ".");
  }
  say();
  return card("How large a lead is worth a switch?", drawn.svg, input, said,
    make("p", { class: "quiet" }, "A threshold chosen on these lists is optimistically biased; runoff train --careful chooses it on others."));
}

/** @param {any} found */
function familiesCard(found) {
  if (!found.families?.length || !found.gain) return null;
  const most = Math.max(...found.families.map((/** @type {any} */ each) => Math.abs(each.better)), 1e-12);
  return card("Which families of features carry the gain?",
    make("p", { class: "quiet" }, "Mean share in the lead over the first choice, where another choice was better.", source.isLive ? " Move a slider: what if the family weighed more, less, or the other way?" : ""),
    make("div", { class: "reasons" }, found.families.map((/** @type {any} */ each) => make("div", { class: source.isLive ? "reason weighable" : "reason" },
      make("span", { class: "name" }, each.name), bar(each.better, most), make("span", { class: "value" }, number(each.better, 3, true)), source.isLive ? slider(each.name) : null))));
}

/** @param {any} found */
function comparisonCard(found) {
  const other = found.comparison;
  if (!other) return null;
  const digits = found.metric.digits, lead = other.lead;
  const p = lead.p < 0.001 ? "< 0.001" : number(lead.p, 3);
  const rows = [["differ", "loss", `the two choose differently`, other.differ], ["ahead", "gain", "this model chooses better", other.wins], ["behind", "loss", `${other.name} chooses better`, other.losses]];
  return card(`Beside ${other.name}`,
    make("p", {}, make("strong", {}, `${number(Math.abs(lead.delta), digits)} ${lead.delta < 0 ? "behind" : "ahead"}`), ` (95% interval of the lead ${number(lead.low, digits, true)} to ${number(lead.high, digits, true)}, p ${p}).`),
    make("table", {}, make("tbody", {}, rows.map(([show, order, text, count]) => make("tr", {}, make("td", {}, source.isLive ? listLink(show, order, text) : text), make("td", { class: "number" }, number(count, 0)))))));
}
