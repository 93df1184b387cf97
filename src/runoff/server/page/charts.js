// Drawn charts: a few lines of SVG, whose titles say what they show to those who do not see them.
import { draw, number } from "./dom.js";

const W = 460, H = 220, LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 34;

function scale([low, high], [from, to], log = false) {
  const f = log ? Math.log : (x) => x;
  const span = f(high) - f(low) || 1;
  return (x) => from + ((f(x) - f(low)) / span) * (to - from);
}

function ticks(low, high, count = 4) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw) ?? raw;
  const out = [];
  for (let x = Math.ceil(low / step) * step; x <= high + step * 1e-9; x += step) out.push(x);
  return out;
}

function frame(title, xs, ys, labels, log = false) {
  const pad = (ys[1] - ys[0] || 1) * 0.06;
  const x = scale(xs, [LEFT, W - RIGHT], log), y = scale([ys[0] - pad, ys[1] + pad], [H - BOTTOM, TOP]);
  const digits = Math.max(0, Math.min(4, 1 - Math.floor(Math.log10((ys[1] - ys[0]) || 1))));
  const svg = draw("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title });
  for (const each of ticks(ys[0], ys[1])) {
    svg.append(draw("line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: y(each), y2: y(each) }));
    svg.append(draw("text", { x: LEFT - 6, y: y(each) + 4, "text-anchor": "end" }, number(each, digits)));
  }
  svg.append(draw("text", { x: (LEFT + W - RIGHT) / 2, y: H - 2, "text-anchor": "middle", class: "quiet" }, labels[0]));
  return { svg, x, y };
}

/** A curve through points [x, y], with a label at each of `marks`; `rules` are [y, label]. */
export function curve(title, points, { x: xLabel, log = false, marks = [], rules = [], dots = false }) {
  const all = [...points.map((each) => each[1]), ...rules.map((each) => each[0])];
  const xs = [points[0][0], points[points.length - 1][0]];
  const { svg, x, y } = frame(title, xs, [Math.min(...all), Math.max(...all)], [xLabel], log);
  for (const [value, label] of rules) {
    svg.append(draw("line", { class: "rule", x1: LEFT, x2: W - RIGHT, y1: y(value), y2: y(value) }));
    svg.append(draw("text", { x: W - RIGHT, y: y(value) - 4, "text-anchor": "end", class: "quiet" }, label));
  }
  svg.append(draw("path", { class: "line", d: points.map(([a, b], at) => `${at ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("") }));
  if (dots) for (const [a, b] of points) svg.append(draw("circle", { class: "dot", cx: x(a), cy: y(b), r: 3 }));
  for (const mark of marks) svg.append(draw("text", { x: x(mark), y: H - BOTTOM + 16, "text-anchor": "middle" }, String(mark)));
  return svg;
}

/** Scores with intervals, one row each. */
export function intervals(title, rows, digits) {
  const values = rows.flatMap((each) => [each.score, each.low ?? each.score, each.high ?? each.score]);
  const height = 26, left = 120, right = 70;
  const x = scale([Math.min(...values), Math.max(...values)], [left, W - right]);
  const svg = draw("svg", { viewBox: `0 0 ${W} ${rows.length * height + 4}`, role: "img", "aria-label": title });
  rows.forEach((each, at) => {
    const y = at * height + height / 2;
    const colour = { chosen: "var(--chosen)", oracle: "var(--best)" }[each.name] ?? "var(--first)";
    svg.append(draw("text", { x: 0, y: y + 4 }, each.name));
    svg.append(draw("line", { class: "axis", x1: left, x2: W - right, y1: y, y2: y }));
    if (each.low !== undefined) svg.append(draw("line", { x1: x(each.low), x2: x(each.high), y1: y, y2: y, stroke: colour, "stroke-width": 5 }));
    svg.append(draw("circle", { cx: x(each.score), cy: y, r: 5, fill: colour }));
    svg.append(draw("text", { x: W, y: y + 4, "text-anchor": "end" }, number(each.score, digits)));
  });
  return svg;
}

/** Confidence against accuracy: on the diagonal, confidence means what it says. */
export function reliability(title, bins) {
  const { svg, x, y } = frame(title, [0, 1], [0, 1], ["confidence of the choice"]);
  svg.append(draw("line", { class: "rule", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }));
  const most = Math.max(...bins.map((each) => each.choices));
  for (const each of bins) {
    const label = `${each.choices} choices with confidence ${number(each.confidence)}: ${number(each.accuracy)} are the best`;
    svg.append(draw("circle", { class: "dot", cx: x(each.confidence), cy: y(each.accuracy), r: 2 + 8 * Math.sqrt(each.choices / most) }, draw("title", {}, label)));
  }
  for (const mark of [0, 0.5, 1]) svg.append(draw("text", { x: x(mark), y: H - BOTTOM + 16, "text-anchor": "middle" }, String(mark)));
  return svg;
}
