// SPDX-License-Identifier: Apache-2.0 OR MIT
// Elements without a framework: made once, then only their texts change, so that
// nothing is laid out anew while data arrives.

type Listener = (event: Event) => void;
type Value = string | number | boolean | null | Listener;
export type Attributes = Readonly<Record<string, Value>>;
export type Child = Node | string | null;

/** Makes an element; `true` sets an empty attribute, functions listen to `onNAME`. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) give(element, name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) give(element, name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

function give(element: Element, name: string, value: Value): void {
  if (typeof value === "function") element.addEventListener(name.slice(2), value);
  else if (value === true) element.setAttribute(name, "");
  else if (value !== false && value !== null) element.setAttribute(name, String(value));
}

/** Touches the page only where the text is another. */
export function say(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function show(element: HTMLElement, visible: boolean): void {
  if (element.hidden === visible) element.hidden = !visible;
}

/** Sets the stage's colour for everything inside; see stages.css. */
export function colourAs(element: HTMLElement | SVGElement, stage: string): void {
  element.style.setProperty("--stage", `var(--stage-${stage.replaceAll("_", "-")})`);
}
