// Candidates as their task sees them: trees, labelled spans, words linked to a source.
import { draw, make } from "./dom.js";
import { go, state } from "./state.js";

/** @typedef {{role: string, index: number | null, kind: string, problem?: string, nodes: any[], words: string[], spans: any[], source: string[], links: number[][]}} Drawing */

const LETTER = 7.2, LEVEL = 36;
const LONG = 24; // letters of the words of a subtree that is not drawn

/** @param {Drawing[]} found what the server sends */
export function drawings(found) {
  if (!found.length) return [];
  const drawn = found.filter((each) => each.kind);
  const problems = found.filter((each) => each.problem).map((each) => make("p", { class: "quiet" }, `${title(each)} cannot be drawn: ${each.problem}`));
  const kind = drawn[0]?.kind;
  const heading = { tree: "Trees", spans: "Spans", links: "Alignments" }[kind] ?? "Drawings";
  const alike = kind === "tree" && drawn.length > 1 && !state().whole ? commonParts(drawn) : null;
  const how = { tree: (/** @type {Drawing} */ each, /** @type {any} */ status) => drawTree(each, status, alike), spans: drawSpans, links: drawLinks }[kind] ?? drawSpans;
  return [make("h3", {}, heading), ...problems,
    kind === "tree" && drawn.length > 1 ? make("label", { class: "quiet" }, make("input", { type: "checkbox", checked: Boolean(state().whole), change: (/** @type {any} */ event) => go({ whole: event.target.checked ? 1 : "" }, true) }), " whole trees, also where all agree") : null,
    drawn.length > 1 && kind !== "links" ? legend(drawn.some((each) => each.role === "reference")) : null,
    make("div", { class: kind === "spans" ? "drawings" : "drawings scroll", tabindex: kind === "spans" ? null : 0, role: "group", "aria-label": heading },
      drawn.map((each) => make("figure", { class: `drawing ${each.role}` }, make("figcaption", {}, title(each)), how(each, statusIn(each, drawn)))))].filter(Boolean);
}

/** @param {Drawing} each */
function title(each) {
  return each.role === "reference" ? "reference" : `${each.role === "winner" ? "chosen" : "rival"}, candidate ${each.index}`;
}

/** @param {boolean} judged */
function legend(judged) {
  const meanings = judged ? [["right", "✓ only here, and as in the reference"], ["wrong", "✗ not in the reference"]] : [["only", "≠ only here"]];
  return make("p", { class: "quiet" }, meanings.flatMap(([status, text]) => [make("span", { class: `status ${status}` }, text), " "]));
}

const SIGNS = /** @type {Record<string, string>} */ ({ right: "✓", wrong: "✗", only: "≠" });

/**
 * What is special about a part of a drawing, by its label and place: right or wrong by the reference, or only here.
 * @param {Drawing} own
 * @param {Drawing[]} all
 * @returns {(label: string, start: number, stop: number) => string}
 */
function statusIn(own, all) {
  /** @param {Drawing | undefined} each */
  const keys = (each) => each && new Set((each.nodes ?? each.spans ?? []).map((part) => (each.nodes ? `${part[0]} ${part[1]} ${part[2]}` : `${part[2]} ${part[0]} ${part[1]}`)));
  const reference = keys(all.find((each) => each.role === "reference"));
  const other = keys(all.find((each) => each.role !== "reference" && each !== own));
  return (label, start, stop) => {
    if (own.role === "reference") return "";
    const key = `${label} ${start} ${stop}`;
    if (reference) return !reference.has(key) ? "wrong" : other && !other.has(key) ? "right" : "";
    return other && !other.has(key) ? "only" : "";
  };
}

/**
 * Subtrees that all trees have, as the texts of their brackets.
 * @param {Drawing[]} all
 * @returns {Set<string>}
 */
function commonParts(all) {
  const found = all.map((each) => new Set(subtreesOf(each)));
  return new Set([...found[0]].filter((each) => found.every((other) => other.has(each))));
}

/** The text of every node with all below it, in the order of the nodes. @param {Drawing} found */
function subtreesOf({ nodes }) {
  const texts = nodes.map(([label, start, stop, , word]) => `${label} ${start} ${stop} ${word ?? ""}`);
  for (let at = nodes.length - 1; at > 0; at--) texts[nodes[at][3]] += `(${texts[at]})`;
  return texts;
}

/**
 * The nodes that are drawn: of a subtree that all trees have, one node with its words.
 * @param {Drawing} found
 * @param {Set<string> | null} alike
 */
function drawnNodes(found, alike) {
  const { nodes } = found;
  if (!alike) return nodes;
  const texts = subtreesOf(found);
  /** @type {Map<number, number>} */
  const place = new Map();
  const out = /** @type {any[]} */ ([]);
  nodes.forEach(([label, start, stop, parent, word], at) => {
    if (parent >= 0 && !place.has(parent)) return; // below a node that stands for all of its words
    const above = parent < 0 ? -1 : /** @type {number} */ (place.get(parent));
    if (word === null && stop - start > 0 && alike.has(texts[at])) {
      const words = nodes.slice(at).filter((each) => each[4] !== null && each[1] >= start && each[2] <= stop).map((each) => each[4]).join(" ");
      out.push([label, start, stop, above, words.length > LONG ? `${words.slice(0, LONG - 1)}…` : words, words]);
      return;
    }
    place.set(at, out.length);
    out.push([label, start, stop, above, word, word]);
  });
  return out;
}

/** @param {Drawing} found @param {(label: string, start: number, stop: number) => string} status @param {Set<string> | null} alike */
function drawTree(found, status, alike) {
  const nodes = drawnNodes(found, alike);
  const depth = nodes.map(() => 0), x = nodes.map(() => 0);
  /** @type {number[][]} */
  const children = nodes.map(() => []);
  nodes.forEach(([, , , parent], at) => { if (parent >= 0) { depth[at] = depth[parent] + 1; children[parent].push(at); } });
  let right = 8;
  nodes.forEach(([label, , , , word], at) => {
    if (word === null) return;
    const width = LETTER * Math.max([...word].length, [...label].length + 2) + 14;
    x[at] = right + width / 2;
    right += width;
  });
  for (let at = nodes.length - 1; at >= 0; at--) {
    if (children[at].length) x[at] = (x[children[at][0]] + x[children[at][children[at].length - 1]]) / 2;
  }
  const height = LEVEL * (Math.max(...depth) + 1) + 34;
  const svg = draw("svg", { width: right + 8, height, viewBox: `0 0 ${right + 8} ${height}`, role: "img", class: "tree", "aria-label": `tree of ${found.nodes.map((each) => each[4]).filter((each) => each !== null).join(" ")}` });
  /** @param {number} at */
  const y = (at) => 18 + LEVEL * depth[at];
  nodes.forEach(([label, start, stop, parent, word, whole], at) => {
    if (parent >= 0) svg.append(draw("line", { class: "branch", x1: x[parent], y1: y(parent) + 6, x2: x[at], y2: y(at) - 14 }));
    const state = status(label, start, stop);
    svg.append(draw("text", { x: x[at], y: y(at), "text-anchor": "middle", class: `node ${state}` }, state ? `${SIGNS[state]} ${label}` : label));
    if (word !== null) svg.append(draw("text", { x: x[at], y: y(at) + 20, "text-anchor": "middle", class: "word" }, draw("title", {}, whole ?? word), word));
  });
  return svg;
}

/** @param {Drawing} found @param {(label: string, start: number, stop: number) => string} status */
function drawSpans(found, status) {
  const starts = new Map(found.spans.map((span) => [span[0], span]));
  const out = [];
  for (let at = 0; at < found.words.length;) {
    const span = starts.get(at);
    const [start, stop, label] = span ?? [at, at + 1, ""];
    const state = span ? status(label, start, stop) : "";
    for (let word = start; word < Math.max(stop, start + 1); word++) {
      const edge = `${word === start ? " first" : ""}${word === stop - 1 ? " last" : ""}`;
      out.push(make("span", { class: span ? `token labelled ${state}${edge}` : "token" }, make("bdi", {}, found.words[word]),
        make("span", { class: "label" }, word === start && span ? `${state ? `${SIGNS[state]} ` : ""}${label}` : "\u00a0")));
    }
    at = Math.max(stop, start + 1);
  }
  return make("p", { class: "spans" }, out);
}

/** @param {Drawing} found */
function drawLinks(found) {
  /** @param {string[]} words */
  const placed = (words) => {
    let right = 6;
    return words.map((word) => { const width = LETTER * [...word].length + 14; right += width; return { middle: right - width / 2, right, word }; });
  };
  const above = placed(found.source), below = placed(found.words);
  const width = Math.max(above.at(-1)?.right ?? 0, below.at(-1)?.right ?? 0) + 6;
  const svg = draw("svg", { width, height: 128, viewBox: `0 0 ${width} 128`, role: "img", class: "links", "aria-label": `${found.source.join(" ")}, aligned with ${found.words.join(" ")}` });
  const linked = [new Set(), new Set()];
  for (const [start, stop, from, to] of found.links) {
    for (let i = start; i < stop; i++) for (let j = from; j < to; j++) {
      linked[0].add(i);
      linked[1].add(j);
      if (above[i] && below[j]) svg.append(draw("line", { class: "link", x1: above[i].middle, y1: 28, x2: below[j].middle, y2: 96 }, draw("title", {}, `${above[i].word} – ${below[j].word}`)));
    }
  }
  for (const [words, y, has] of /** @type {[typeof above, number, Set<number>][]} */ ([[above, 20, linked[0]], [below, 114, linked[1]]])) {
    words.forEach((each, at) => svg.append(draw("text", { x: each.middle, y, "text-anchor": "middle", class: has.has(at) ? "word" : "word alone" }, each.word)));
  }
  return svg;
}
