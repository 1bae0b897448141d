// Elements made from plain values. Text goes in as text: nothing that comes from a table is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.setAttribute("class", value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export function h(tag, props, ...children) {
  return filled(document.createElement(tag), props, children);
}

export function s(tag, props, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

export function put(node, ...children) {
  node.replaceChildren(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

// Writes only what is new: an unchanged text costs no layout.
export function write(node, text) {
  const value = String(text);
  if (node.textContent !== value) node.textContent = value;
}
