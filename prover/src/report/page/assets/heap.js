// A heap as boxes and arrows. Each object has one place throughout a run, so that only what changes moves.
const ROW = 20, CHARACTER = 8, GAP = 46, MARGIN = 24, COLUMNS = 3;

const drawn = (name, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

const isReference = (value) => value.startsWith("#");
const words = ([name, value]) => isReference(value) ? `${name} → ${value}` : `${name} = ${value}`;

// Where each object of a run is: columns as wide, and rows as tall, as the largest they ever hold.
const places = (run) => {
  const sizes = new Map();
  for (const [name, title, rows, more] of run.objects) {
    const longest = Math.max(title.length, 12, ...rows.map((row) => words(row).length + 2));
    const [wide, tall] = sizes.get(name) ?? [0, 0];
    const own = [(longest + 1) * CHARACTER, ROW * (2.5 + rows.length + (more > 0 ? 1 : 0))];
    sizes.set(name, [Math.max(wide, own[0]), Math.max(tall, own[1])]);
  }
  const number = (name) => Number(name.slice(1));
  const order = [...run.order].sort((one, other) => number(one) - number(other));
  const all = order.map((name, at) => ({ name, column: at % COLUMNS, row: Math.floor(at / COLUMNS), size: sizes.get(name) }));
  const widths = [], heights = [];
  for (const { column, row, size } of all) {
    widths[column] = Math.max(widths[column] ?? 0, size[0]);
    heights[row] = Math.max(heights[row] ?? 0, size[1]);
  }
  const before = (sizes, at) => sizes.slice(0, at).reduce((sum, size) => sum + size + GAP, MARGIN);
  const found = new Map(all.map(({ name, column, row, size }) =>
    [name, { x: before(widths, column), y: before(heights, row), width: size[0], column, row }]));
  return { found, width: before(widths, widths.length) + MARGIN - GAP / 4, height: before(heights, heights.length) - GAP + MARGIN };
};

// From a row to the title of an object. To the next object it is a curve; else it goes through the room between the boxes.
const edge = (from, to, at) => {
  const [x, y, high] = [from.x + from.width, from.y + ROW * (at + 2) + ROW / 2, to.y + ROW / 2];
  const lane = 8 + 4 * Math.min(at, 4);
  const next = to.row === from.row && to.column === from.column + 1;
  const way = next
    ? `M${x},${y} C${x + GAP / 2},${y} ${to.x - GAP / 2},${high} ${to.x},${high}`
    : `M${x},${y} H${x + lane} V${to.y - lane} H${to.x - 12} V${high} H${to.x}`;
  return drawn("path", { class: "edge", "marker-end": "url(#arrow)", d: way });
};

// The objects of a step; `held` says which variables refer to each, `before` what the step before had in its rows.
const drawHeap = (run, objects, held, before) => {
  const { found, width, height } = run.places;
  const shown = new Set(objects.map(([name]) => name));
  const label = objects.length === 0 ? "no objects" : `objects ${[...shown].join(", ")}`;
  const svg = drawn("svg", { class: "heap", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${height}`, width, height });
  for (const [name, title, rows, more] of objects) {
    const place = found.get(name);
    const tall = ROW * (2.5 + rows.length + (more > 0 ? 1 : 0));
    svg.append(drawn("rect", { class: "box", x: place.x, y: place.y, width: place.width, height: tall, rx: 4 }));
    const line = (at, text, kind) =>
      svg.append(drawn("text", { class: kind, x: place.x + 4, y: place.y + ROW * (at + 1) - 5 }, text));
    line(0, title, "title");
    const holders = (held.get(name) ?? []).join(", ");
    const room = Math.floor(place.width / CHARACTER) - 3;
    if (holders) line(1, `◀ ${holders.length > room ? holders.slice(0, room - 1) + "…" : holders}`, "");
    const earlier = new Map(before.get(name) ?? []);
    rows.forEach((row, at) => {
      const changed = before.size > 0 && earlier.get(row[0]) !== row[1];
      line(at + 2, (changed ? "• " : "") + words(row), changed ? "other" : "");
    });
    if (more > 0) line(rows.length + 2, `… ${more} more`, "");
  }
  for (const [name, , rows] of objects) {
    rows.forEach(([, value], at) => {
      if (shown.has(value)) svg.append(edge(found.get(name), found.get(value), at));
    });
  }
  return svg;
};
