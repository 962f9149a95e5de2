// Both runs step by step, in step with one another.
const made = (name, text, kind) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  return element;
};

// The variables of a call, or the globals; those that are not as in the step before are marked.
const table = (title, rows, more, earlier) => {
  const whole = made("table");
  whole.append(made("caption", title));
  for (const [name, value] of rows) {
    const row = made("tr", undefined, earlier && new Map(earlier).get(name) !== value ? "changed" : "");
    row.append(made("td", name), made("td", value));
    whole.append(row);
  }
  if (more > 0) whole.append(made("caption", `${title} (${more} more)`));
  return whole;
};

const held = (calls, globals) => {
  const names = new Map();
  for (const [name, value] of [...calls.flatMap(([, rows]) => rows), ...globals]) {
    if (isReference(value) && !names.get(value)?.includes(name)) names.set(value, [...(names.get(value) ?? []), name]);
  }
  return names;
};

const at = (run, step) => {
  const [line, said, calls, hidden, globals, objects, more] = run.steps[step];
  return {
    line: run.texts[line], said: run.texts[said], hidden, more, globals: run.globals[globals],
    calls: calls.map((call) => run.calls[call]), objects: objects.map((object) => run.objects[object]),
  };
};

// What a run shows at a step. `previous` is the step that was shown before it in the order of the run.
const show = (run, step) => {
  const now = at(run, step), previous = step > 0 ? at(run, step - 1) : undefined;
  const left = step < run.first ? 0 : run.total - run.steps.length;
  run.said.replaceChildren(`Step ${step + 1 + left} of ${run.total}: `, made("code", now.said));
  const same = previous && previous.calls.length === now.calls.length && previous.hidden === now.hidden;
  const calls = now.calls.map(([title, rows, more], depth) =>
    table(title, rows, more, same ? previous.calls[depth][1] : undefined));
  const globals = now.globals.length > 0 ? [table("globals", now.globals, 0, previous?.globals)] : [];
  const deeper = now.hidden > 0 ? [made("p", `… called from ${now.hidden} more`)] : [];
  run.variables.replaceChildren(...calls, ...deeper, ...globals);
  const before = new Map((previous?.objects ?? []).map(([name, , rows]) => [name, rows]));
  const heap = () => drawHeap(run, now.objects, held(now.calls, now.globals), before);
  const more = now.more > 0 ? [made("p", `… and ${now.more} more objects`)] : [];
  run.heap.replaceChildren(...(run.order.length > 0 ? [heap()] : []), ...more);
  return document.getElementById(now.line);
};

const widget = (place) => {
  const { runs, rows } = JSON.parse(document.getElementById(place.dataset.from).textContent);
  const controls = made("div", undefined, "controls"), columns = made("div", undefined, "runs");
  controls.setAttribute("role", "group");
  controls.setAttribute("aria-label", "steps of both runs");
  const slider = made("input");
  Object.assign(slider, { type: "range", min: 0, max: rows.length - 1, value: 0 });
  slider.setAttribute("aria-label", "step");
  const go = (to, lines) => {
    const row = Math.min(Math.max(to, 0), rows.length - 1);
    slider.value = row;
    slider.setAttribute("aria-valuetext", `${row + 1} of ${rows.length}`);
    for (const [button, , end] of buttons) button.disabled = row === end;
    for (const line of document.querySelectorAll(".l.now")) line.classList.remove("now");
    runs.forEach((run, side) => {
      const line = show(run, rows[row][side]);
      if (!lines || !line) return;
      line.classList.add("now");
      const folded = line.closest("details");
      if (folded) folded.open = true;
      reveal(line);
    });
  };
  const here = () => Number(slider.value), last = rows.length - 1;
  const kinds = [["|◀", "first step", () => 0, 0], ["◀", "step back", () => here() - 1, 0],
    ["▶", "step forwards", () => here() + 1, last], ["▶|", "last step", () => last, last]];
  const buttons = kinds.map(([sign, name, to, end]) => {
    const button = made("button", sign);
    button.type = "button";
    button.title = name;
    button.setAttribute("aria-label", name);
    button.addEventListener("click", () => go(to(), true));
    return [button, to, end];
  });
  slider.addEventListener("input", () => go(here(), true));
  controls.append(buttons[0][0], buttons[1][0], slider, buttons[2][0], buttons[3][0]);
  for (const run of runs) {
    const column = made("section", undefined, "run");
    Object.assign(run, { places: places(run), said: made("p", undefined, "said"), variables: made("div", undefined, "held"), heap: made("figure") });
    run.said.setAttribute("aria-live", "polite");
    column.append(made("h5", run.title), run.said, run.variables, run.heap);
    columns.append(column);
  }
  place.append(controls, columns);
  place.hidden = false;
  go(0, false);
};

document.querySelectorAll(".steps").forEach(widget);
