// What the page shows, all of it in its address, so that an address can be sent to a colleague.

const USUAL = { page: "overview", show: "all", q: "", order: "input", at: "", rival: "" };

export function state() {
  return { ...USUAL, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) };
}

export function address(changes) {
  const next = { ...state(), ...changes };
  const kept = Object.entries(next).filter(([name, value]) => value !== USUAL[name] && value !== null);
  return `#${new URLSearchParams(kept.map(([name, value]) => [name, String(value)]))}`;
}

/** Show something else; `quietly` without a further step for the back button. */
export function go(changes, quietly = false) {
  if (quietly) {
    history.replaceState(null, "", address(changes));
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = address(changes);
}
