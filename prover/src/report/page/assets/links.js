// Words that correspond: the one under the pointer or in focus, and those it leads to, are marked.
const partners = (word) => word.dataset.to.split(" ").map((id) => document.getElementById(id)).filter(Boolean);

// Brings a line or a word into view within its pane; the page itself stays where it is.
const reveal = (element) => {
  const pane = element.closest(".code");
  if (!pane) return;
  const [top, bottom] = [element.offsetTop, element.offsetTop + element.offsetHeight];
  if (top < pane.scrollTop + 20 || bottom > pane.scrollTop + pane.clientHeight - 20) {
    pane.scrollTop = Math.max(0, top - pane.clientHeight / 2);
  }
};

const mark = (word, on) => {
  for (const one of [word, ...partners(word)]) one.classList.toggle("on", on);
};

for (const word of document.querySelectorAll("a.k")) {
  word.addEventListener("mouseenter", () => mark(word, true));
  word.addEventListener("mouseleave", () => mark(word, false));
  word.addEventListener("focus", () => { mark(word, true); partners(word).forEach(reveal); });
  word.addEventListener("blur", () => mark(word, false));
  // Following a link moves the focus to the counterpart, and not the page.
  word.addEventListener("click", (event) => {
    const [first] = partners(word);
    if (!first) return;
    event.preventDefault();
    reveal(first);
    first.focus({ preventScroll: true });
  });
}
