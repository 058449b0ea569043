// SPDX-License-Identifier: Apache-2.0 OR MIT
// The generator's settings that have no control of their own, one for each row of the table.

import { type Limits, SETTINGS, type SettingInfo, type Settings, type SettingsAsked } from "../api/settings.js";
import { grouped, parseCount, parseTime, round } from "../core/quantity.js";
import { h } from "../dom.js";
import { Field } from "./field.js";

type Key = SettingInfo["key"];

/** Sends one setting. */
export type Send = (settings: SettingsAsked) => void;

interface Control {
  readonly info: SettingInfo;
  readonly element: HTMLElement;
  show(value: number | string): void;
  disable(off: boolean): void;
  note(text: string, bad: boolean): void;
  refused(): void;
  limits(limits: Limits): void;
}

export class MoreSettings {
  readonly element: HTMLElement;
  readonly #controls: readonly Control[];

  /** `shown` have controls elsewhere. */
  constructor(shown: readonly Key[], send: Send) {
    const rest = SETTINGS.filter((info) => !shown.includes(info.key));
    this.#controls = rest.map((info) => control(info, send));
    this.element = h("details", {}, h("summary", {}, "More settings"),
      ...this.#controls.map((one) => one.element));
  }

  update(settings: Settings, limits: Limits, busy: boolean): void {
    for (const one of this.#controls) {
      one.limits(limits);
      one.show(settings[one.info.key]);
      one.disable(busy && !one.info.always);
    }
  }

  /** False: that setting is not here. */
  refused(key: string): boolean {
    const found = this.#controls.find((one) => one.info.key === key);
    found?.refused();
    return found !== undefined;
  }

  /** False: that setting is not here. */
  note(key: string, text: string, bad = false): boolean {
    const found = this.#controls.find((one) => one.info.key === key);
    found?.note(text, bad);
    return found !== undefined;
  }
}

function control(info: SettingInfo, send: Send): Control {
  return info.names.length === 0 ? number(info, send) : choice(info, send);
}

function number(info: SettingInfo, send: Send): Control {
  const isTime = info.unit === "ns";
  const field = new Field<number>({
    id: `set-${info.name}`, label: label(info), hint: isTime ? "20 µs" : "16",
    parse: isTime ? parseTime : parseCount, format: isTime ? round : grouped, about: info.help,
  }, (value) => send(asked(info, value)));
  return {
    info, element: field.element,
    show: (value) => field.show(Number(value)),
    disable: (off) => { field.disabled = off; },
    note: (text, bad) => field.note(text, bad),
    refused: () => field.refused(),
    limits: (limits) => field.limits(limitsText(info, limits)),
  };
}

function choice(info: SettingInfo, send: Send): Control {
  const select = h("select", { id: `set-${info.name}`, title: info.help, onchange: () => send(asked(info, select.value)) },
    ...info.names.map((name) => h("option", { value: name }, name)));
  const element = h("div", { class: "field" }, h("label", { for: `set-${info.name}` }, label(info)), select);
  return {
    info, element,
    show: (value) => { if (document.activeElement !== select) select.value = String(value); },
    disable: (off) => { if (select.disabled !== off) select.disabled = off; },
    note: (_, bad) => select.setAttribute("aria-invalid", String(bad)),
    refused: () => select.setAttribute("aria-invalid", "true"),
    limits: (limits) => {
      const possible = limits[info.key] as readonly (number | string)[];
      for (const option of select.options) option.disabled = !possible.includes(option.value);
    },
  };
}

/** Formats what the generator can do: `20 µs to 1 s`. */
export function limitsText(info: SettingInfo, limits: Limits): string {
  const [low, high] = limits[info.key] as readonly [number, number];
  const text = info.unit === "ns" ? round : grouped;
  return `${text(low)} to ${text(high)}`;
}

function asked(info: SettingInfo, value: number | string): SettingsAsked {
  return { [info.key]: value };
}

function label(info: SettingInfo): string {
  return info.name.charAt(0).toUpperCase() + info.name.slice(1);
}
