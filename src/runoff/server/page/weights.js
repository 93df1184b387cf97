// What if weights were other ones: sliders, and a line that says on every page what would come of them.
import { counted, make, number } from "./dom.js";
import { source } from "./source.js";
import { address, weigh, weights } from "./state.js";

/**
 * A slider for what a weight is multiplied by.
 * @param {string} name of a family or a feature
 */
export function slider(name) {
  const now = () => weights()[name] ?? 1;
  const value = make("output", {}, `× ${number(now(), 1)}`);
  const input = make("input", { type: "range", min: -2, max: 3, step: 0.1, value: now(), "data-weight": name, "aria-label": `weight of ${name}, multiplied by`, input: () => {
    value.replaceChildren(`× ${number(Number(input.value), 1)}`);
    weigh({ ...weights(), [name]: Number(input.value) });
  } });
  return make("span", { class: "slider" }, input, value);
}

let waiting = 0;

/** Say what would come of the changed weights, or nothing if none is changed. */
export async function sayWhatIf() {
  const place = /** @type {HTMLElement} */ (document.getElementById("what-if"));
  const factors = Object.entries(weights());
  const mine = ++waiting;
  place.hidden = !source.isLive || !factors.length;
  if (place.hidden) return;
  const [all, found] = await Promise.all([source.overview(), source.whatIf()]);
  if (mine !== waiting) return;
  const chosen = all.choices?.find((/** @type {any} */ each) => each.name === "chosen");
  const score = found.score === undefined || !chosen ? null
    : [`${all.metric.name} `, make("strong", {}, number(found.score, all.metric.digits)), ` (as trained ${number(chosen.score, all.metric.digits)}), ${number(found.outcomes.better, 0)} better and ${number(found.outcomes.worse, 0)} worse than the first choice; `];
  place.replaceChildren(
    make("p", {}, make("strong", {}, "What if "), factors.map(([name, factor]) => `${name} × ${number(factor, 1)}`).join(", "), "? ", score, `${counted(found.differ, "choice differs", "choices differ")} from the model's.`),
    make("p", { class: "actions" }, make("a", { href: address({ page: "lists", show: "moved", at: "", rival: "", start: "" }) }, "Show these lists"),
      make("button", { type: "button", click: () => void saveModel() }, "Save as a model"),
      make("button", { type: "button", click: () => { weigh({}); dispatchEvent(new HashChangeEvent("hashchange")); } }, "As trained"),
      make("span", { class: "quiet" }, "Weights chosen by looking at these lists must be proved on others.")));
}

async function saveModel() {
  const link = make("a", { href: URL.createObjectURL(await source.model()), download: "reweighed.runoff" });
  link.click();
  URL.revokeObjectURL(link.href);
}
