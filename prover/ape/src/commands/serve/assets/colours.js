// Words with a colour of their own: what the lexer of `ape` makes of a text, without names and signs.
const PIECE = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^\n])*"|[A-Za-z_][A-Za-z0-9_']*|[0-9]+/g;

// The words of the language; the server knows them.
let words = new Set();

// In order: where each begins and ends, and the element for it.
const pieces = (text) => {
  const found = [];
  for (const { 0: own, index } of text.matchAll(PIECE)) {
    const first = own[0];
    let tag = "";
    if (first === "/" || first === "\"") tag = "i";
    else if (first >= "0" && first <= "9") tag = "u";
    else if (words.has(own)) tag = "b";
    if (tag) found.push({ start: index, end: index + own.length, tag });
  }
  return found;
};

// An element with text in it, and nothing but text.
const element = (tag, text, name) => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
};

// A sentence in which what stands between backquotes is code.
const prose = (text) => text.split("`").map((part, at) => (at % 2 ? element("code", part) : part));
