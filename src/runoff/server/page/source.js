// Where the numbers come from: the viewer's server, or what a report holds itself.

/** @returns {{overview: any, groups: any[]} | null} */
function held() {
  const found = document.getElementById("report-data");
  return found ? JSON.parse(found.textContent ?? "null") : null;
}

async function asked(address, options) {
  const response = await fetch(address, options);
  const found = await response.json();
  if (!response.ok) throw new Error(found.message ?? `the viewer answered ${response.status}.`);
  return found;
}

/** The viewer's server. */
const server = {
  isLive: true,
  overview: () => asked("api/overview"),
  groups: ({ show, q, order }, start, size) => asked(`api/groups?${new URLSearchParams({ show, q, order, start, size })}`),
  group: (at, rival) => asked(`api/groups/${at}${rival === null ? "" : `?rival=${rival}`}`),
  whatIf: (factors) => asked("api/what-if", { method: "POST", body: JSON.stringify({ factors }) }),
  exportAddress: ({ show, q, order }) => `api/export?${new URLSearchParams({ show, q, order })}`,
  model: async (factors) => (await fetch("api/model", { method: "POST", body: JSON.stringify({ factors }) })).blob(),
};

function report(data) {
  const passes = {
    all: () => true,
    changed: (each) => ["better", "worse", "equal"].includes(each.outcome),
    better: (each) => each.outcome === "better",
    worse: (each) => each.outcome === "worse",
    missed: (each) => each.regret > 0,
    unsure: (each) => each.confidence < 0.5,
  };
  const keys = { input: (e) => e.at, gain: (e) => -e.gain, loss: (e) => e.gain, regret: (e) => -e.regret, confidence: (e) => e.confidence };
  const texts = (each) => [each.id, each.page.input, ...each.page.candidates.map((one) => one.text)].join("\n").toLowerCase();
  return {
    isLive: false,
    overview: async () => data.overview,
    groups: async ({ show, q, order }, start, size) => {
      const found = data.groups.filter((each) => passes[show](each) && texts(each).includes(q.toLowerCase()));
      found.sort((a, b) => keys[order](a) - keys[order](b) || a.at - b.at);
      return { total: found.length, start, groups: found.slice(start, start + size) };
    },
    group: async (at) => {
      const found = data.groups.find((each) => each.at === at);
      if (!found) throw new Error("this list is not in the report; `runoff view` shows all.");
      return found.page;
    },
  };
}

const data = held();
export const source = data ? report(data) : server;
