// Word differences between two texts, by the longest common subsequence.

const MOST = 1500; // words that are compared

/** @typedef {{word: string, kind: "same" | "extra" | "missing"}} Piece */

/**
 * Words of `text`, those that `other` does not have there marked as extra, and those of `other` that it lacks as missing.
 * Longer texts are not compared.
 * @param {string} text
 * @param {string} other
 * @returns {Piece[]}
 */
export function compared(text, other) {
  const left = text.split(/\s+/).filter(Boolean), right = other.split(/\s+/).filter(Boolean);
  if (left.length > MOST || right.length > MOST) return left.map((word) => ({ word, kind: "same" }));
  const width = right.length + 1;
  const longest = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      longest[i * width + j] = left[i] === right[j]
        ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  /** @type {Piece[]} */
  const out = [];
  let i = 0, j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) { out.push({ word: left[i], kind: "same" }); i++; j++; }
    else if (j >= right.length || (i < left.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) out.push({ word: left[i++], kind: "extra" });
    else out.push({ word: right[j++], kind: "missing" });
  }
  return out;
}

/**
 * The same beside the one of several texts that differs in the fewest words.
 * @param {string} text
 * @param {string[]} others
 */
export function comparedWithClosest(text, others) {
  const found = others.map((other) => compared(text, other));
  const differences = found.map((pieces) => pieces.filter((each) => each.kind !== "same").length);
  return found[differences.indexOf(Math.min(...differences))];
}
