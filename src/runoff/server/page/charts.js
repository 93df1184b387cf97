// Drawn charts: a few lines of SVG, whose titles say what they show to those who do not see them.
import { draw, number } from "./dom.js";

/** @typedef {[number, number]} Point */

const HIGH = 230, LOW = 150, LEFT = 58, RIGHT = 14, TOP = 26, BOTTOM = 40;

/** Width of a chart: that of its place, so that its letters are not smaller on a phone. */
function chartWidth() {
  const place = document.getElementById("main")?.clientWidth ?? 600;
  return Math.max(260, Math.min(540, place - 68));
}

/** @param {Point} from @param {Point} to */
function scale([low, high], [from, to], log = false) {
  /** @param {number} x */
  const f = (x) => (log ? Math.log(x) : x);
  const span = f(high) - f(low) || 1;
  /** @param {number} x */
  return (x) => from + ((f(x) - f(low)) / span) * (to - from);
}

/** @param {number} low @param {number} high */
function ticks(low, high, count = 4) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw) ?? raw;
  const out = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + step * 1e-9; x += step) out.push(x);
  return out;
}

/** @param {number} low @param {number} high */
function decimals(low, high) {
  return Math.max(0, Math.min(4, 1 - Math.floor(Math.log10(high - low || 1))));
}

/** @param {string} title @param {Point} xs @param {Point} ys @param {string} xLabel @param {string} yLabel */
function frame(title, xs, ys, xLabel, yLabel, log = false, H = HIGH) {
  const W = chartWidth(), pad = (ys[1] - ys[0] || 1) * 0.06;
  const x = scale(xs, [LEFT, W - RIGHT], log), y = scale([ys[0] - pad, ys[1] + pad], [H - BOTTOM, TOP]);
  const digits = decimals(...ys);
  const svg = draw("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title, class: "chart" });
  for (const each of ticks(...ys)) {
    svg.append(draw("line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: y(each), y2: y(each) }));
    svg.append(draw("text", { x: LEFT - 6, y: y(each) + 4, "text-anchor": "end" }, number(each, digits)));
  }
  svg.append(draw("text", { x: 0, y: 12, class: "quiet" }, yLabel));
  svg.append(draw("text", { x: W - RIGHT, y: H - 6, "text-anchor": "end", class: "quiet" }, `${xLabel} →`));
  return { svg, x, y, W, bottom: H - BOTTOM };
}

/** @param {{svg: any, x: (x: number) => number, bottom: number}} frame @param {number[]} marks @param {number} digits */
function markAxis({ svg, x, bottom }, marks, digits, shift = 0) {
  for (const mark of marks) {
    svg.append(draw("line", { class: "axis", x1: x(mark), x2: x(mark), y1: bottom, y2: bottom + 4 }));
    svg.append(draw("text", { x: x(mark), y: bottom + 17, "text-anchor": "middle" }, number(mark - shift, digits)));
  }
}

/**
 * A curve through points, with intervals if there are such; `rules` are horizontal lines with labels, what is
 * written along the axis is less by `shift`, and `here` gives back a function that moves a dot.
 * @param {string} title
 * @param {Point[]} points
 * @param {{x: string, y: string, log?: boolean, marks?: number[], rules?: [number, string][], dots?: boolean, intervals?: [number, number][], digits?: number, low?: boolean, shift?: number}} options
 */
export function curve(title, points, { x: xLabel, y: yLabel, log = false, marks = [], rules = [], dots = false, intervals: spans = [], digits = 3, low = false, shift = 0 }) {
  const all = [...points.map((each) => each[1]), ...spans.flat(), ...rules.map((each) => each[0])];
  /** @type {Point} */
  const xs = [points[0][0], points[points.length - 1][0]];
  const framed = frame(title, xs, [Math.min(...all), Math.max(...all)], xLabel, yLabel, log, low ? LOW : HIGH);
  const { svg, x, y, W } = framed;
  for (const [value, label] of rules) {
    svg.append(draw("line", { class: "rule", x1: LEFT, x2: W - RIGHT, y1: y(value), y2: y(value) }));
    const below = y(value) < TOP + 14;
    svg.append(draw("text", { x: W - RIGHT, y: y(value) + (below ? 14 : -5), "text-anchor": "end", class: "quiet halo" }, label));
  }
  svg.append(draw("path", { class: "line", d: points.map(([a, b], at) => `${at ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("") }));
  spans.forEach(([from, to], at) => {
    const middle = x(points[at][0]), cap = (/** @type {number} */ value) => `M${middle - 5} ${y(value)}h10`;
    svg.append(draw("path", { class: "spread", d: `${cap(from)}${cap(to)}M${middle} ${y(from)}V${y(to)}` }));
  });
  if (dots) points.forEach(([a, b], at) => {
    const span = spans[at] ? ` (${number(spans[at][0], digits)} to ${number(spans[at][1], digits)})` : "";
    svg.append(draw("circle", { class: "dot", cx: x(a), cy: y(b), r: 3.5 }, draw("title", {}, `${number(a - shift, 0)}: ${number(b, digits)}${span}`)));
  });
  markAxis(framed, marks.length ? marks : ticks(...xs), 0, shift);
  const dot = draw("circle", { class: "here", cx: -99, cy: -99, r: 6 });
  svg.append(dot);
  return { svg, here: (/** @type {Point} */ [a, b]) => { dot.setAttribute("cx", x(a)); dot.setAttribute("cy", y(b)); } };
}

/**
 * Scores with intervals, one row each.
 * @param {string} title
 * @param {{name: string, score: number, low?: number, high?: number}[]} rows
 * @param {number} digits
 */
export function intervals(title, rows, digits) {
  const W = chartWidth(), height = 26, right = 64;
  const left = Math.min(0.42 * W, 12 + 7 * Math.max(...rows.map((each) => each.name.length)));
  const values = rows.flatMap((each) => [each.score, each.low ?? each.score, each.high ?? each.score]);
  /** @type {Point} */
  const span = [Math.min(...values), Math.max(...values)];
  const x = scale(span, [left + 6, W - right]);
  const bottom = rows.length * height;
  const svg = draw("svg", { viewBox: `0 0 ${W} ${bottom + 24}`, role: "img", "aria-label": title, class: "chart" });
  for (const tick of ticks(...span)) {
    svg.append(draw("line", { class: "axis", x1: x(tick), x2: x(tick), y1: 4, y2: bottom }));
    svg.append(draw("text", { x: x(tick), y: bottom + 16, "text-anchor": "middle", class: "quiet" }, number(tick, decimals(...span))));
  }
  rows.forEach((each, at) => {
    const y = at * height + height / 2;
    const kind = { chosen: "chosen", oracle: "best" }[each.name] ?? "first";
    const longest = Math.floor(left / 6.6);
    svg.append(draw("text", { x: 0, y: y + 4, class: kind === "chosen" ? "strong" : null }, draw("title", {}, each.name), each.name.length > longest ? `${each.name.slice(0, longest - 1)}…` : each.name));
    if (each.low !== undefined) svg.append(draw("line", { class: `interval ${kind}`, x1: x(each.low), x2: x(each.high ?? each.score), y1: y, y2: y }));
    svg.append(draw("circle", { class: `point ${kind}`, cx: x(each.score), cy: y, r: 5 },
      draw("title", {}, `${each.name}: ${number(each.score, digits)} (${number(each.low, digits)} to ${number(each.high, digits)})`)));
    svg.append(draw("text", { x: W, y: y + 4, "text-anchor": "end", class: kind === "chosen" ? "strong" : null }, number(each.score, digits)));
  });
  return svg;
}

/**
 * Confidence against accuracy: on the diagonal, confidence means what it says.
 * @param {string} title
 * @param {{choices: number, confidence: number, accuracy: number}[]} bins
 */
export function reliability(title, bins) {
  const framed = frame(title, [0, 1], [0, 1], "confidence of the choice", "share that is right; dots as large as their choices");
  const { svg, x, y } = framed;
  svg.append(draw("line", { class: "rule", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }));
  svg.append(draw("text", { x: x(0.3), y: y(0.3) + 20, class: "quiet" }, "as confident as right"));
  const most = Math.max(...bins.map((each) => each.choices));
  for (const each of bins) {
    const label = `${each.choices} choices with confidence ${number(each.confidence)}: ${number(each.accuracy)} are right`;
    svg.append(draw("circle", { class: "dot", cx: x(each.confidence), cy: y(each.accuracy), r: 3 + 8 * Math.sqrt(each.choices / most) }, draw("title", {}, label)));
  }
  markAxis(framed, [0, 0.25, 0.5, 0.75, 1], 2);
  return svg;
}
