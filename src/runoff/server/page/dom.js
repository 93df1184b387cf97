// Small helpers to build pages; text is always text, never markup.

/** @typedef {Record<string, any>} Attributes */

/**
 * An element with attributes and children; functions become listeners, `style` is an object, null and false are left out.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * The same for drawings.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** @param {any} element @param {Attributes} attributes @param {any[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "style") for (const [property, each] of Object.entries(value)) element.style.setProperty(property, each);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(typeof child === "string" ? visible(child) : child);
  }
  return element;
}

/**
 * A text in which characters that would hide or reverse others are seen: controls, and overrides of the direction.
 * @param {string} text
 */
export function visible(text) {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (each) => `⟨U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** @param {string} title @param {...any} content */
export function card(title, ...content) {
  return make("section", { class: "card" }, make("h2", {}, title), ...content);
}

/**
 * A number with so many decimals, an en dash where there is none.
 * @param {number | null | undefined} value
 */
export function number(value, digits = 2, signed = false) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const sign = signed && value > 0 ? "+" : "";
  const shown = Math.abs(value) < 0.5 / 10 ** digits ? 0 : value; // no minus before a zero
  return sign + shown.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

/**
 * A count with its noun.
 * @param {number} value
 * @param {string} noun
 */
export function counted(value, noun, plural = `${noun}s`) {
  return `${value.toLocaleString("en")} ${value === 1 ? noun : plural}`;
}

/**
 * A bar to the right of the middle, or to the left for what is negative.
 * @param {number} value
 * @param {number} most
 */
export function bar(value, most) {
  const width = 50 * Math.min(1, Math.abs(value) / most);
  return make("span", { class: "track", "aria-hidden": "true" },
    make("span", { class: value < 0 ? "fill against" : "fill", style: { left: `${value < 0 ? 50 - width : 50}%`, width: `${width}%` } }));
}

/**
 * A gain; nothing where it is too small to be shown.
 * @param {number} value
 */
export function gainText(value) {
  return Math.abs(value) < 0.005 ? "" : number(value, 2, true);
}
