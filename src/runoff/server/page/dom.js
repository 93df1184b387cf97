// Small helpers to build pages; text is always text, never markup.

/** @typedef {Record<string, any>} Attributes */

/**
 * An element with attributes and children; functions become listeners, null and false are left out.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...any} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** A number with so many decimals, an en dash where there is none. */
export function number(value, digits = 2, signed = false) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const sign = signed && value > 0 ? "+" : "";
  const shown = Math.abs(value) < 0.5 / 10 ** digits ? 0 : value; // no minus before a zero
  return sign + shown.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

/** A count with its noun. */
export function counted(value, noun) {
  return `${value.toLocaleString("en")} ${noun}${value === 1 ? "" : "s"}`;
}
