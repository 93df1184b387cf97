// What the page shows, all of it in its address, so that an address can be sent to a colleague.

const USUAL = { page: "overview", show: "all", q: "", order: "input", start: "", at: "", rival: "", marks: "", all: "", whole: "", w: "" };

/** @returns {typeof USUAL} */
export function state() {
  return { ...USUAL, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) };
}

/** @param {Record<string, any>} changes */
export function address(changes) {
  const next = { ...state(), ...changes };
  const kept = Object.entries(next).filter(([name, value]) => name in USUAL && String(value) !== USUAL[/** @type {keyof typeof USUAL} */ (name)] && value !== null);
  return `#${new URLSearchParams(kept.map(([name, value]) => [name, String(value)]))}`;
}

/**
 * Show something else; `quietly` without a further step for the back button.
 * @param {Record<string, any>} changes
 */
export function go(changes, quietly = false) {
  if (quietly) {
    history.replaceState(null, "", address(changes));
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = address(changes);
}

/**
 * By what weights are multiplied, by family or feature.
 * @returns {Record<string, number>}
 */
export function weights() {
  try {
    const found = JSON.parse(state().w || "{}");
    return Object.fromEntries(Object.entries(found).filter(([, value]) => Number.isFinite(value)));
  } catch {
    return {};
  }
}

/**
 * Change weights; pages listen to "weights" and keep what they show otherwise.
 * @param {Record<string, number>} next
 */
export function weigh(next) {
  const kept = Object.entries(next).filter(([, value]) => value !== 1);
  history.replaceState(null, "", address({ w: kept.length ? JSON.stringify(Object.fromEntries(kept)) : "" }));
  dispatchEvent(new CustomEvent("weights"));
}
