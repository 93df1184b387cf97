// The first page: what was won, what could be, how sure that is, and what would change it.
import { counted, make, number } from "./dom.js";
import { curve, intervals, reliability } from "./charts.js";
import { source } from "./source.js";
import { address } from "./state.js";

export async function overview(main) {
  const found = await source.overview();
  const cards = make("div", { class: "cards" });
  main.replaceChildren(...finding(found), cards);
  cards.append(...[choices(found), outcomes(found), oracle(found), sure(found), threshold(found), families(found)].filter(Boolean));
  main.append(make("p", { class: "quiet" }, [...(found.notes ?? []), found.metric ? `signature: ${found.metric.signature}` : null].filter(Boolean).join(" ")));
}

function finding(found) {
  const what = `${counted(found.groups, "list")}, ${counted(found.candidates, "candidate")} (${found.task})`;
  if (!found.metric) return [make("p", { class: "finding" }, `${what}. Without references or quality nothing can be judged; the lists can be looked at.`)];
  if (!found.gain) return [make("p", { class: "finding" }, `${what}. No model was given: this is what a better choice could win.`)];
  const { name, digits } = found.metric, gain = found.gain;
  const sentence = `${name}: ${number(gain.delta, digits, true)} over the first round (${number(gain.low, digits, true)} to ${number(gain.high, digits, true)}, p ${gain.p < 0.001 ? "< 0.001" : number(gain.p, 3)}), ${what}.`;
  return [make("p", { class: "finding" }, sentence), ...(found.warnings ?? []).map((each) => make("p", { class: "warning" }, each))];
}

function card(title, ...content) {
  return make("section", { class: "card" }, make("h2", {}, title), ...content);
}

function choices(found) {
  if (!found.choices) return null;
  const better = found.metric.higher_is_better ? "higher" : "lower";
  return card(`${found.metric.name} of every choice (${better} is better)`, intervals("Scores with 95% intervals", found.choices, found.metric.digits));
}

function outcomes(found) {
  if (!found.gain) return null;
  const links = { better: "better", worse: "worse" };
  return card("What became of the first choices", make("table", {}, make("tbody", {}, Object.entries(found.outcomes).filter(([, count]) => count).map(([name, count]) =>
    make("tr", {}, make("td", {}, links[name] ? make("a", { href: address({ page: "lists", show: name, order: name === "better" ? "gain" : "loss", at: "" }) }, name) : name), make("td", { class: "number" }, number(count, 0)))))),
  found.recovered === null ? null : make("p", {}, `${number(100 * found.recovered, 1)}% of what could be won was won.`));
}

function oracle(found) {
  if (!found.oracle_at || found.oracle_at.length < 2) return null;
  const chosen = found.choices?.find((each) => each.name === "chosen");
  const ks = found.oracle_at.map((each) => each[0]);
  return card("The best of the first k candidates", curve("Score of the best of the first k candidates", found.oracle_at, {
    x: "k, in the order of the first round", log: true, dots: true, marks: ks.filter((k, at) => at === ks.length - 1 || ([1, 2, 5, 10, 50, 100].includes(k) && 2 * k <= ks[ks.length - 1])),
    rules: chosen ? [[chosen.score, "chosen"]] : [],
  }));
}

function sure(found) {
  if (!found.reliability) return null;
  const { bins, means } = found.reliability, error = found.reliability.expected_calibration_error;
  return card("Does confidence mean what it says?", reliability("Confidence against accuracy", bins),
    make("p", { class: "quiet" }, `Share of choices that are ${means} against their confidence; expected calibration error ${number(error, 3)}.`));
}

function threshold(found) {
  const points = found.thresholds;
  if (!points || points.length < 2) return null;
  const digits = found.metric.digits;
  const said = make("p", { "aria-live": "polite" });
  const slider = make("input", { type: "range", min: 0, max: points.length - 1, value: points.length - 1, "aria-label": "Lists in which the first choice is left", input: say });
  function say() {
    const at = points[Number(slider.value)];
    said.replaceChildren(`${counted(at.switched, "switch").replace("switchs", "switches")}, those with a lead of at least ${number(at.lead, 3)}: ${found.metric.name} ${number(at.score, digits)}.`);
  }
  say();
  const first = found.choices.find((each) => each.name === "first round");
  return card("Where to leave the first choice", curve("Score by the number of switches", points.map((each) => [each.switched, each.score]), { x: "lists in which the first choice is left, those with the largest lead first", rules: [[first.score, "first round"]] }), slider, said,
    make("p", { class: "quiet" }, "Chosen by looking at these lists, a threshold is optimistically biased; runoff train --careful chooses it on others."));
}

function families(found) {
  if (!found.families?.length) return null;
  const most = Math.max(...found.families.map((each) => Math.abs(each.better)), 1e-12);
  const factors = {};
  const said = make("p", { "aria-live": "polite" }, "");
  let waiting = 0;
  async function tell() {
    const mine = ++waiting;
    const now = await source.whatIf(factors);
    if (mine !== waiting) return;
    const score = now.score === undefined ? "" : `${found.metric.name} ${number(now.score, found.metric.digits)}, `;
    said.replaceChildren(`${score}${now.outcomes.better.toLocaleString("en")} better, ${now.outcomes.worse.toLocaleString("en")} worse; ${now.differ.toLocaleString("en")} choices differ from the model's.`);
  }
  const rows = found.families.map((each) => make("div", { class: "reason" },
    make("span", { class: "name" }, each.name), bar(each.better, most), make("span", { class: "value" }, number(each.better, 3, true))));
  const sliders = source.isLive ? make("details", {}, make("summary", {}, "What if families weighed more, or less?"),
    found.families.map((each) => {
      const value = make("output", {}, "× 1");
      return make("label", { class: "factor" }, make("span", { class: "name" }, each.name), make("input", {
        type: "range", min: -2, max: 3, step: 0.1, value: 1, input: (event) => {
          factors[each.name] = Number(event.target.value);
          value.replaceChildren(`× ${number(factors[each.name], 1)}`);
          void tell();
        },
      }), value);
    }), said, make("button", { type: "button", click: () => void save(factors) }, "Save as a model")) : null;
  return card("Which families carry the better choices", make("p", { class: "quiet" }, "Mean share in the lead over the first choice, where that was a gain."), ...rows, sliders);
}

async function save(factors) {
  const link = make("a", { href: URL.createObjectURL(await source.model(factors)), download: "reweighed.runoff" });
  link.click();
  URL.revokeObjectURL(link.href);
}

export function bar(value, most) {
  const width = 50 * Math.min(1, Math.abs(value) / most);
  return make("span", { class: "track", "aria-hidden": "true" }, make("span", { class: value < 0 ? "fill against" : "fill", style: `left:${value < 0 ? 50 - width : 50}%;width:${width}%` }));
}
