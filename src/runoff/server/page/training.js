// How the model became what it is: with more and more lists, and step by step.
import { card, counted, make, number } from "./dom.js";
import { curve } from "./charts.js";

/** @param {any} found */
export function moreListsCard(found) {
  if (!found.training) return null;
  const title = "Would more training lists help?", known = found.training.lists;
  if (!known) {
    return card(title, make("p", { class: "quiet" }, "This model does not say. ", make("code", {}, "runoff train … --learning-curve"), " (in Python ", make("code", {}, "runoff.learning_curve"),
      ") also trains on a sixteenth, an eighth, a quarter and a half of the lists, judges all on held-out ones, and keeps the scores in the model."));
  }
  const points = known.points.map((/** @type {any} */ each) => [each.lists, each.score]);
  const better = known.higher_is_better ? "higher" : "lower", first = number(known.first_round, known.digits);
  const ends = known.points.flatMap((/** @type {any} */ each) => [each.low, each.high, each.score]);
  const low = Math.min(...ends), high = Math.max(...ends), near = high - low; // a first round far away would flatten the curve
  const isNear = known.first_round >= low - near && known.first_round <= high + near;
  return card(title, curve(`${known.metric} on held-out lists by models of more and more training lists, with intervals`, points, {
    x: "training lists (log scale)", y: `${known.metric}, ${better} is better`, log: true, dots: true, digits: known.digits,
    marks: points.map((/** @type {number[]} */ each) => each[0]), rules: isNear ? [[known.first_round, "first round"]] : [],
    intervals: known.points.map((/** @type {any} */ each) => [each.low, each.high]),
  }).svg, make("p", {}, known.verdict),
  make("p", { class: "quiet" }, `Judged on ${counted(known.held_out, "held-out list")}, where the first round has ${first}; bars are ${number(100 * known.confidence, 0)}% intervals. ${known.notes.join(" ")}`));
}

/** @param {any} found */
export function trainingCard(found) {
  if (!found.training) return null;
  const { rounds, histories } = found.training;
  if (rounds.length < 2 && !histories.length) return null;
  return card("How the model learned", rounds.length < 2 ? null : roundsChart(found, rounds), histories.map(historyChart));
}

/** @param {any} found @param {[number, number][]} rounds */
function roundsChart(found, rounds) {
  /** @type {[number, number][]} */
  const points = rounds.map(([round, score]) => [round + 1, score]); // a logarithm has no 0
  const last = points[points.length - 1][0];
  return [curve("Score on these lists after every round of training", points, {
    x: "rounds of training (log scale)", shift: 1, y: `${found.metric.name} on these lists`, log: true, dots: true, digits: found.metric.digits,
    marks: [0, ...powers(last - 1)].map((each) => each + 1), rules: [[found.choices[0].score, "first round"]],
  }).svg, make("p", { class: "quiet" }, "To stop where these lists are best would be optimistically biased; dev data chooses that in training.")];
}

/** @param {{name: string, unit: string, means: string, points: [number, number][], kept: number | null}} history */
function historyChart({ name, unit, means, points, kept }) {
  const title = `${name ? `${name}: ` : ""}${means}`;
  const last = points[points.length - 1][0];
  const short = last <= 12;
  return [curve(`${title}, by ${unit} of training`, points, {
    x: `${unit} of training${short ? "" : " (log scale)"}`, y: title, log: !short, dots: true, low: true,
    marks: short ? points.map((each) => each[0]) : powers(last),
  }).svg, kept && kept < last ? make("p", { class: "quiet" }, `The model is that of ${number(kept, 0)} ${unit}.`) : null];
}

/** Powers of ten up to a last mark that has room. @param {number} last */
function powers(last) {
  return [1, 10, 100, 1000, 10000, 100000].filter((each) => 3 * each <= last).concat(last);
}
