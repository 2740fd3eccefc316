// For each line of standard input, {source, draw}, writes a line with what mermaid itself finds in the source:
// {direction, nodes: [{id, shape, parent, label, lines, classes}], edges: [{source, target, label}]}, or {error};
// with draw also the title and {nodes: [text], edges: [text]} as they stand in the picture.
// node read_mermaid.mjs FOLDER_WITH_NODE_MODULES
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const require = createRequire(join(folder, "here.js"));
const { JSDOM } = require("jsdom");
const { window } = new JSDOM("<body></body>", { pretendToBeVisual: true });
for (const name of ["window", "document", "Element", "HTMLElement", "SVGElement", "Node", "CSSStyleSheet", "DOMParser", "XMLSerializer"]) {
  globalThis[name] = name === "window" ? window : window[name];
}
const box = () => ({ x: 0, y: 0, width: 80, height: 20, top: 0, left: 0, right: 80, bottom: 20 });
window.SVGElement.prototype.getBBox = box;
window.SVGElement.prototype.getComputedTextLength = () => 80;
window.Element.prototype.getBoundingClientRect = box;

const { default: mermaid } = await import(pathToFileURL(join(folder, "node_modules/mermaid/dist/mermaid.core.mjs")));
mermaid.initialize({ startOnLoad: false, maxTextSize: 1e7, logLevel: 5 });

const element = window.document.createElement("div");
function plain(label) {
  element.innerHTML = String(label ?? "").replace(/ﬂ°°/g, "&#").replace(/ﬂ°/g, "&").replace(/¶ß/g, ";");
  return element.textContent;
}

async function read({ source, draw }) {
  const diagram = await mermaid.mermaidAPI.getDiagramFromText(source);
  const { nodes, edges, direction } = diagram.db.getData();
  const found = {
    direction,
    nodes: nodes.map((node) => ({
      id: node.id, shape: node.shape, parent: node.parentId ?? null, label: plain(node.label),
      lines: (node.description ?? []).map(plain), classes: node.cssClasses ?? "",
    })),
    edges: edges.map((edge) => ({ source: edge.start, target: edge.end, label: plain(edge.label) })),
  };
  if (draw) {
    const { svg } = await mermaid.render("picture", source);
    const body = new window.DOMParser().parseFromString(svg, "text/html").body;
    const texts = (query) => [...body.querySelectorAll(query)].map((found) => found.textContent);
    found.title = texts(".statediagramTitleText")[0];
    found.drawn = { nodes: texts(".nodeLabel"), edges: texts("span.edgeLabel") };
  }
  return found;
}

for await (const line of createInterface({ input: process.stdin })) {
  let found;
  try {
    found = await read(JSON.parse(line));
  } catch (error) {
    found = { error: String(error.message ?? error) };
  }
  process.stdout.write(JSON.stringify(found) + "\n");
}
process.exit(0);
