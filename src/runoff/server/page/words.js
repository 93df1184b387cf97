// Which words of a text are not in another one, by the longest common subsequence.

const MOST = 1500; // words that are compared

/**
 * Words of `text` with whether they are in `other`, too, at the same place of a common subsequence.
 * @param {string} text
 * @param {string} other
 * @returns {{word: string, same: boolean}[]}
 */
export function compared(text, other) {
  const a = text.split(/(\s+)/).filter((word) => word !== "");
  const left = a.filter((word) => word.trim() !== "");
  const right = other.split(/\s+/).filter((word) => word !== "");
  if (left.length > MOST || right.length > MOST) return a.map((word) => ({ word, same: true }));
  const width = right.length + 1;
  const longest = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      longest[i * width + j] = left[i] === right[j]
        ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const same = new Array(left.length).fill(false);
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    if (left[i] === right[j]) { same[i] = true; i++; j++; }
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) i++;
    else j++;
  }
  let at = 0;
  return a.map((word) => ({ word, same: word.trim() === "" || same[at++] }));
}
