// Where the numbers come from: the viewer's server, or what a report holds itself.
import { state } from "./state.js";

/** @returns {{overview: any, groups: any[]} | null} */
function held() {
  const found = document.getElementById("report-data");
  return found ? JSON.parse(found.textContent ?? "null") : null;
}

/** @param {string} path @param {RequestInit} [options] */
async function asked(path, options) {
  const response = await fetch(path, options);
  if (!response.ok) throw new Error((await response.json().catch(() => ({}))).message ?? `the viewer answered ${response.status}.`);
  return response;
}

/** @param {Record<string, any>} given */
function query(given) {
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== null && value !== "").map(([name, value]) => [name, String(value)]));
}

/** The viewer's server. */
const server = {
  isLive: true,
  overview: async () => (await asked("api/overview")).json(),
  /** @param {number} start @param {number} size @param {number | null} around */
  groups: async (start, size, around) => {
    const { show, q, order, w } = state();
    return (await asked(`api/groups?${query({ show, q, order, weights: show === "moved" ? w : "", start, size, around })}`)).json();
  },
  /** @param {number} at @param {number | null} rival */
  group: async (at, rival) => (await asked(`api/groups/${at}?${query({ rival, weights: state().w })}`)).json(),
  whatIf: async () => (await asked(`api/what-if?${query({ weights: state().w })}`)).json(),
  exportAddress: () => {
    const { show, q, order, w } = state();
    return `api/export?${query({ show, q, order, weights: show === "moved" ? w : "" })}`;
  },
  model: async () => (await asked("api/model", { method: "POST", body: state().w || "{}" })).blob(),
};

/** @param {{overview: any, groups: any[]}} data */
function report(data) {
  /** @type {Record<string, (each: any) => boolean>} */
  const passes = {
    all: () => true,
    changed: (each) => ["better", "worse", "equal"].includes(each.outcome),
    better: (each) => each.outcome === "better",
    worse: (each) => each.outcome === "worse",
    missed: (each) => each.regret > 0,
    unsure: (each) => each.confidence < 0.5,
  };
  /** @type {Record<string, (each: any) => number>} */
  const keys = { input: (e) => e.at, gain: (e) => -e.gain, loss: (e) => e.gain, regret: (e) => -e.regret, confidence: (e) => e.confidence };
  /** @param {any} each */
  const texts = (each) => [each.id, each.page.input, ...each.page.candidates.map((/** @type {any} */ one) => one.text)].join("\n").toLowerCase();
  return {
    ...server,
    isLive: false,
    overview: async () => data.overview,
    /** @param {number} start @param {number} size @param {number | null} around */
    groups: async (start, size, around) => {
      const { show, q, order } = state();
      const found = data.groups.filter((each) => (passes[show] ?? passes.all)(each) && texts(each).includes(q.toLowerCase()));
      const key = keys[order] ?? keys.input;
      found.sort((a, b) => key(a) - key(b) || a.at - b.at);
      const place = around === null ? -1 : found.findIndex((each) => each.at === around);
      const from = place < 0 ? start : Math.floor(place / size) * size;
      return { total: found.length, start: from, groups: found.slice(from, from + size) };
    },
    /** @param {number} at */
    group: async (at) => {
      const found = data.groups.find((each) => each.at === at);
      if (!found) throw new Error("this list is not in the report; `runoff view` shows all.");
      return found.page;
    },
  };
}

const data = held();
export const source = data ? report(data) : server;
