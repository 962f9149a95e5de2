// One of the texts: where it is typed, its colours and the numbers of its lines, and what is wrong with it.
const panes = {};

class Pane {
  constructor(root, changed) {
    this.root = root;
    this.field = root.querySelector("textarea");
    this.shown = root.querySelector(".shown");
    this.gutter = root.querySelector(".gutter");
    this.list = root.querySelector(".mistakes");
    this.first = 1;
    this.wrong = [];
    this.changed = changed;
    this.field.addEventListener("input", () => this.edited());
    this.field.addEventListener("keydown", (event) => this.indent(event));
  }

  get text() { return this.field.value; }

  set text(text) {
    this.field.value = text;
    this.wrong = [];
    this.list.replaceChildren();
    this.draw();
  }

  // Marks stay with the text before them until it is known what is wrong now.
  edited() {
    const end = this.field.selectionEnd;
    this.wrong = this.wrong.filter((mark) => mark.end < end);
    this.draw();
    this.changed();
  }

  // A new line begins where the last one does.
  indent(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
    const before = this.text.slice(0, this.field.selectionStart);
    const space = /[ \t]*$/.exec(/^[ \t]*/.exec(before.slice(before.lastIndexOf("\n") + 1))[0])[0];
    if (!space) return;
    event.preventDefault();
    // As if it were typed, so that it can be undone.
    document.execCommand("insertText", false, "\n" + space);
  }

  // Shows what is wrong, each at its place.
  blame(diagnostics, first) {
    this.first = first;
    const visible = ({ start, end }) => {
      if (start < end) return { start, end };
      return this.text[start] && this.text[start] !== "\n" ? { start, end: start + 1 } : { start: Math.max(0, start - 1), end: start };
    };
    this.wrong = diagnostics.map(visible).sort((one, other) => one.start - other.start);
    this.list.replaceChildren(...diagnostics.map((wrong) => this.mistake(wrong)));
    if (diagnostics.length > 0 && this.root.open === false) this.root.open = true;
    this.draw();
  }

  mistake(wrong) {
    const item = document.createElement("li");
    const place = element("button", `line ${wrong.line}`);
    place.type = "button";
    place.addEventListener("click", () => this.select(wrong));
    const message = wrong.label && !wrong.message.includes(wrong.label) ? `${wrong.message}: ${wrong.label}` : wrong.message;
    item.append(place, " ", ...prose(message));
    for (const other of wrong.others) {
      const button = element("button", `line ${other.line}`);
      button.type = "button";
      button.addEventListener("click", () => panes[other.pane].select(other));
      item.append("; ", button, " ", ...prose(other.label));
    }
    if (wrong.help) {
      const help = element("span", "", "help");
      help.append(...prose(wrong.help));
      item.append(help);
    }
    if (wrong.fix) {
      const mend = element("button", wrong.fix.title.replaceAll("`", ""), "mend");
      mend.type = "button";
      mend.addEventListener("click", () => panes[wrong.fix.pane].replace(wrong.fix));
      item.append(" ", mend);
    }
    return item;
  }

  select({ start, end }) {
    if (this.root.open === false) this.root.open = true;
    this.field.focus();
    this.field.setSelectionRange(start, end);
    // Where the place is to be seen, in the part that scrolls.
    const editor = this.field.closest(".editor");
    const line = this.text.slice(0, start).split("\n").length - 1;
    const height = this.shown.clientHeight / (this.text.split("\n").length + 1);
    editor.scrollTop = Math.max(0, line * height - editor.clientHeight / 2);
  }

  replace({ start, end, text }) {
    this.select({ start, end });
    document.execCommand("insertText", false, text);
  }

  draw() {
    const text = this.text;
    const all = pieces(text);
    // Every place where the look changes.
    const cuts = new Set([0, text.length]);
    for (const { start, end } of [...all, ...this.wrong]) cuts.add(start).add(end);
    const places = [...cuts].filter((at) => at <= text.length).sort((one, other) => one - other);
    const parts = [];
    let next = 0;
    for (let at = 0; at + 1 < places.length; at++) {
      const [start, end] = [places[at], places[at + 1]];
      while (next < all.length && all[next].end <= start) next++;
      const piece = next < all.length && all[next].start <= start ? all[next] : undefined;
      const wrong = this.wrong.some((mark) => mark.start <= start && end <= mark.end);
      const own = text.slice(start, end);
      parts.push(piece || wrong ? element(piece ? piece.tag : "span", own, wrong ? "wrong" : "") : own);
    }
    // A last line that is empty has its height too.
    this.shown.replaceChildren(...parts, "\n");
    const marked = new Set(this.wrong.map(({ start }) => text.slice(0, start).split("\n").length - 1));
    const numbers = text.split("\n").map((_, line) => {
      const number = `${this.first + line}\n`;
      return marked.has(line) ? element("b", `✗${number}`) : number;
    });
    this.gutter.replaceChildren(...numbers);
  }
}
