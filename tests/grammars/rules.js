// The rules of a tree-sitter grammar as JSON, as `tree-sitter generate` writes them into src/grammar.json.
// In: the path of grammar.js. Out: its rules on standard output.

const rule = (value) => {
  if (typeof value === "string") return { type: "STRING", value };
  if (value instanceof RegExp) return { type: "PATTERN", value: value.source };
  return value;
};
const members = (type) => (...all) => ({ type, members: all.map(rule) });
const content = (type) => (inside) => ({ type, content: rule(inside) });
const bound = (type) => (value, inside) =>
  inside === undefined
    ? { type, value: 0, content: rule(value) }
    : { type, value, content: rule(inside) };

global.seq = members("SEQ");
global.choice = members("CHOICE");
global.repeat = content("REPEAT");
global.repeat1 = content("REPEAT1");
global.token = content("TOKEN");
global.optional = (inside) => choice(inside, { type: "BLANK" });
global.field = (name, inside) => ({ type: "FIELD", name, content: rule(inside) });
global.alias = (inside, name) => ({ type: "ALIAS", content: rule(inside), named: true, value: name.name });
global.prec = Object.assign(bound("PREC"), { left: bound("PREC_LEFT"), right: bound("PREC_RIGHT") });
global.grammar = (parts) => {
  const symbols = new Proxy({}, { get: (_, name) => ({ type: "SYMBOL", name }) });
  const made = Object.entries(parts.rules).map(([name, make]) => [name, rule(make(symbols))]);
  return { rules: Object.fromEntries(made), reserved: parts.reserved.global(symbols).map(rule) };
};

console.log(JSON.stringify(require(process.argv[2])));
