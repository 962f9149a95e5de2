// What was found of the program: a word for all, and the page of the run.
const found = document.querySelector(".found");
const line = found.querySelector(".verdict");
const frame = found.querySelector("iframe");
const LOOKS = {
  "equivalent": ["good", "✓"], "not-equivalent": ["bad", "≠"], "contract-violation": ["bad", "✗"],
  "partially-equivalent": ["open", "◐"],
};
let shownPage = "";

const badge = (word) => {
  const [look, sign] = LOOKS[word] || ["open", "?"];
  const made = element("span", `${sign} ${word}`, "badge");
  made.classList.add(look);
  return made;
};

// A sentence on what goes on. What was found before is not of this text any more; it stays while the text is legal.
const say = (text, legal = true) => {
  found.classList.add("stale");
  const old = legal && line.querySelector(".badge");
  line.replaceChildren(...(old ? [old] : []), ...prose(text));
};

const forget = (text) => {
  line.replaceChildren(...prose(text));
  found.classList.remove("stale");
  frame.hidden = true;
};

// The verdict, and the page of the run in a frame that may do nothing to this page.
const conclude = (answer, seconds) => {
  found.classList.remove("stale");
  if (answer.gave_up) {
    forget("");
    line.replaceChildren(badge("unknown"), ...prose(answer.gave_up));
    return;
  }
  const time = element("span", `in ${seconds.toFixed(1)} s`);
  line.replaceChildren(badge(answer.verdict), time);
  if (answer.verdict === "none") line.replaceChildren("There is no procedure in both versions.");
  const old = shownPage;
  shownPage = URL.createObjectURL(new Blob([answer.page], { type: "text/html;charset=utf-8" }));
  frame.src = shownPage;
  frame.hidden = false;
  if (old) URL.revokeObjectURL(old);
};
