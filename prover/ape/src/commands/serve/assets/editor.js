// The editor: texts are checked while they change, and verified when they are legal and nobody types.
const CHECK = 120;
const VERIFY = 400;
const AGAIN = 2000;
const STORE = "ape";
const EMPTY = {
  shared: "",
  old: "version before\nprocedure twice(n: int) returns (m: int) {\n  m := n + n;\n}\n",
  new: "version after\nprocedure twice(n: int) returns (m: int) {\n  m := 2 * n;\n}\n",
};
const choice = document.getElementById("program");
const exercise = document.querySelector(".exercise");
const mark = exercise.querySelector(".mark");
const detail = exercise.querySelector(".detail");
const gradeButton = document.getElementById("grade");
const programs = new Map();
let at = "";
let work = new AbortController();
let grading = new AbortController();

const stored = () => { try { return JSON.parse(sessionStorage.getItem(STORE)) || {}; } catch { return {}; } };
const store = (more) => { try { sessionStorage.setItem(STORE, JSON.stringify({ ...stored(), ...more })); } catch { /* There is no room. */ } };
const client = stored().client || crypto.randomUUID();
store({ client });

const texts = () => Object.fromEntries(Object.entries(panes).map(([name, pane]) => [name, pane.text]));

// After so many milliseconds; never, if the work is given up.
const pause = (time, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, time);
  signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});

// The server's answer; asked for again while it has no time.
const ask = async (what, signal) => {
  for (;;) {
    let wait = AGAIN;
    try {
      const headers = { "Content-Type": "application/json", "Ape-Client": client };
      const response = await fetch(`/api/${what}`, { method: "POST", headers, body: JSON.stringify(texts()), signal });
      if (response.ok) return await response.json();
      if (response.status !== 429 && response.status !== 503) {
        const answer = await response.json().catch(() => ({}));
        forget(answer.error || `The server says ${response.status}.`);
        return undefined;
      }
      say("Many ask at once; this waits for its turn …");
      wait = 1000 * (Number(response.headers.get("Retry-After")) || 2);
    } catch (error) {
      if (signal.aborted) throw error;
      say("The server does not answer. Is `ape serve` still there?");
    }
    await pause(wait, signal);
  }
};

const blame = (answer) => {
  for (const [name, pane] of Object.entries(panes)) {
    pane.blame(answer.diagnostics.filter((wrong) => wrong.pane === name), answer.lines[name]);
  }
  const count = answer.diagnostics.length;
  if (!answer.legal) say(count === 1 ? "1 mistake" : `${count} mistakes`, false);
};

// Whether the verdict is what is asked for, and so is not told.
const isSecret = () => programs.get(at)?.exercise && at.endsWith(" verdict") && mark.dataset.mark !== "right";

const verify = async (signal) => {
  say("verifying …");
  const start = performance.now();
  const answer = await ask("verify", signal);
  if (answer && !answer.legal) blame(answer);
  else if (answer) conclude(answer, (performance.now() - start) / 1000);
};

// Looks at the texts anew, whatever was looked at before.
const look = async (wait) => {
  work.abort();
  work = new AbortController();
  const { signal } = work;
  try {
    await pause(wait, signal);
    const answer = await ask("check", signal);
    if (!answer) return;
    blame(answer);
    if (!answer.legal) return;
    if (isSecret()) { forget("The verdict is shown when your answer is right."); return; }
    await pause(wait ? VERIFY - CHECK : 0, signal);
    await verify(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

const grade = async () => {
  grading.abort();
  grading = new AbortController();
  const { signal } = grading;
  gradeButton.disabled = true;
  mark.textContent = "checking …";
  try {
    const answer = await ask("grade", signal);
    if (answer && !answer.legal) { blame(answer); mark.textContent = "it is not legal yet"; }
    else if (answer) {
      const { mark: word, points, of, why } = answer.gave_up ? { mark: "undecided", points: 0, of: 1, why: answer.gave_up } : answer;
      mark.dataset.mark = word;
      mark.replaceChildren(...prose(`${word}, ${points} of ${of}${why ? `: ${why}` : ""}`));
      detail.textContent = answer.detail || "";
      detail.hidden = !answer.detail;
      if (word === "right") look(0);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    gradeButton.disabled = false;
  }
};

// What was said of an answer is not of this one.
const ungrade = () => {
  grading.abort();
  delete mark.dataset.mark;
  mark.textContent = "";
  detail.hidden = true;
};

const changed = () => {
  store({ texts: texts(), at });
  ungrade();
  found.classList.add("stale");
  look(CHECK);
};

const TASKS = {
  verdict: "Say what `ape` will find: write the verdict in place of each `?` in what both versions share.",
  mend: "Change the code between `answer begins` and `answer ends`, so that the two versions become equivalent.",
  condition: "Write the weakest `requires` between the marks, so that the two versions are equal from all stores that it allows.",
  proof: "Write a contract or an invariant between the marks that is true, and makes a proof possible.",
};

// Shows a program; the texts are its own, unless somebody has changed them before.
const open = (name, changedTexts) => {
  at = name;
  const program = programs.get(name);
  for (const [pane, text] of Object.entries(changedTexts || program?.texts || EMPTY)) panes[pane].text = text;
  panes.shared.root.open = Boolean(program?.exercise);
  exercise.hidden = !program?.exercise;
  exercise.querySelector(".task").replaceChildren(...prose(TASKS[name.split(" ").pop()] || ""));
  ungrade();
  store({ texts: texts(), at });
  forget("");
  look(0);
};

const offer = ({ groups, words: known }) => {
  words = new Set(known);
  for (const group of groups) {
    const made = document.createElement("optgroup");
    made.label = group.title;
    for (const program of group.programs) {
      const key = program.exercise ? `exercise ${program.name}` : `${group.title}: ${program.name}`;
      programs.set(key, program);
      const option = element("option", program.exercise ? `Exercise ${program.name}` : program.name);
      option.value = key;
      made.append(option);
    }
    choice.append(made);
  }
};

const start = async () => {
  for (const root of document.querySelectorAll("[data-pane]")) panes[root.dataset.pane] = new Pane(root, changed);
  choice.addEventListener("change", () => open(choice.value));
  gradeButton.addEventListener("click", grade);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (programs.get(at)?.exercise) grade(); else look(0);
  });
  offer(await (await fetch("/api/programs")).json());
  const { texts: kept, at: name } = stored();
  if (name && programs.has(name)) choice.value = name;
  open(choice.value, kept);
};

start().catch((error) => forget(`This page cannot start: ${error.message}`));
