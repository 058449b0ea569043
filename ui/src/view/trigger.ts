// SPDX-License-Identifier: Apache-2.0 OR MIT
// How the generator triggers: frequency, duty, packets, jitter, count; start and stop.

import { api } from "../api/client.js";
import type { Limits, Settings, SettingsAsked, Span } from "../api/settings.js";
import type { Differs, GeneratorState, Stage } from "../api/types.js";
import { grouped, hertz, parseCount, parseFrequency, parsePerMille, parseTime, perMille, round } from "../core/quantity.js";
import { position, valueAt } from "../core/scale.js";
import { h } from "../dom.js";
import { Field } from "./field.js";
import { LinesPanel } from "./lines.js";
import { Notice } from "./notice.js";
import { MoreSettings } from "./settings.js";
import { Waveform } from "./waveform.js";

const STEPS = 300;

export class TriggerPanel {
  readonly element: HTMLElement;
  readonly #set: HTMLFieldSetElement;
  readonly #slider = h("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": "Frequency, logarithmic" });
  readonly #dutySlider = h("input", { type: "range", min: 1, max: 999, step: 1, "aria-label": "Duty cycle in per mille" });
  readonly #frequency = new Field<number>({
    id: "frequency", label: "Frequency", hint: "1 kHz or 250 µs", parse: parseFrequency, format: hertz,
  }, (value) => this.#send({ frequency_millihertz: Math.round(value * 1000) }), this.#slider);
  readonly #duty = new Field<number>({
    id: "duty", label: "Duty", hint: "25 %", parse: parsePerMille, format: perMille,
  }, (value) => this.#send({ duty_per_mille: value }), this.#dutySlider);
  readonly #packet = new Field<number>({
    id: "packet", label: "Packet", hint: "16", parse: parseCount, format: grouped,
  }, (value) => this.#send({ packet: value }));
  readonly #count = new Field<number>({
    id: "count", label: "Count", hint: "10,000 or 10k", parse: parseCount, format: grouped,
  }, (value) => this.#send({ count: value }));
  readonly #kind = h("select", { "aria-label": "Kind of jitter", onchange: () => this.#sendJitter(null) },
    ...["none", "uniform", "exponential"].map((kind) => h("option", { value: kind }, kind)));
  readonly #jitter = new Field<number>({
    id: "jitter", label: "Jitter", hint: "20 µs", parse: parseTime, format: round,
  }, (value) => this.#sendJitter(value), this.#kind);
  readonly #start = h("button", { type: "button", class: "go", onclick: () => this.#run(true) }, "Start");
  readonly #stop = h("button", { type: "button", class: "halt", onclick: () => this.#run(false) }, "Stop");
  readonly #more = new MoreSettings(
    ["period_ns", "duty_per_mille", "packet", "count", "jitter", "jitter_amount_ns"], (asked) => this.#send(asked));
  readonly #lines: LinesPanel;
  readonly #waveform = new Waveform();
  readonly #notice = new Notice();
  #generator: GeneratorState | null = null;

  constructor(stages: readonly Stage[]) {
    this.#lines = new LinesPanel(stages);
    this.#slider.addEventListener("input", () => this.#slide());
    this.#slider.addEventListener("change", () => this.#send({ frequency_millihertz: Math.round(this.#slid() * 1000) }));
    this.#dutySlider.addEventListener("input", () => this.#slide());
    this.#dutySlider.addEventListener("change", () => this.#send({ duty_per_mille: this.#dutySlider.valueAsNumber }));
    this.#set = h("fieldset", { disabled: true },
      h("legend", { class: "unseen" }, "Settings of the trigger"),
      this.#frequency.element, this.#duty.element, this.#waveform.element,
      this.#packet.element, this.#count.element, this.#jitter.element, this.#more.element,
      this.#lines.element,
      h("div", { class: "buttons" }, this.#start, this.#stop));
    this.element = h("section", { class: "panel trigger", "aria-labelledby": "trigger" },
      h("h2", { id: "trigger" }, "Trigger"), this.#set, this.#notice.element);
    this.#waveform.update(1e6, 250);
  }

  /** `busy`: a measurement is under way, by this generator or otherwise. */
  update(generator: GeneratorState | null, busy: boolean): void {
    this.#generator = generator;
    const off = generator === null || !generator.connected;
    if (this.#set.disabled !== off) this.#set.disabled = off;
    for (const field of [this.#count, this.#jitter]) field.disabled = busy;
    this.#kind.disabled = busy;
    this.#lines.update(generator, busy);
    this.#start.disabled = busy;
    this.#stop.disabled = !busy;
    if (generator === null) return;
    this.#more.update(generator.status.settings, generator.limits, busy);
    this.#limits(generator.limits);
    this.#show(generator);
  }

  #show({ status: { settings }, limits }: GeneratorState): void {
    const sliding = document.activeElement === this.#slider || document.activeElement === this.#dutySlider;
    this.#frequency.show(settings.frequency_millihertz / 1000);
    this.#duty.show(settings.duty_per_mille);
    this.#packet.show(settings.packet);
    this.#count.show(settings.count);
    this.#jitter.show(settings.jitter_amount_ns);
    if (document.activeElement !== this.#kind) this.#kind.value = settings.jitter;
    if (sliding) return;
    const [low, high] = slidingRange(limits.frequency_millihertz);
    this.#slider.value = String(position(settings.frequency_millihertz, low, high, STEPS));
    this.#dutySlider.value = String(settings.duty_per_mille);
    this.#waveform.update(settings.period_ns, settings.duty_per_mille);
  }

  #limits(limits: Limits): void {
    const span = ([low, high]: Span, text: (value: number) => string) => `${text(low)} to ${text(high)}`;
    this.#frequency.limits(span(limits.frequency_millihertz, (value) => hertz(value / 1000)));
    this.#duty.limits(span(limits.duty_per_mille, perMille));
    this.#packet.limits(span(limits.packet, grouped));
    this.#count.limits(span(limits.count, grouped));
    this.#jitter.limits(span(limits.jitter_amount_ns, round));
  }

  /** In hertz. */
  #slid(): number {
    const [low, high] = slidingRange(this.#generator?.limits.frequency_millihertz ?? [1_000, 1_000_000]);
    return valueAt(this.#slider.valueAsNumber, low, high, STEPS) / 1000;
  }

  /** The value of a slider, before it is let go. */
  #slide(): void {
    const duty = this.#dutySlider.valueAsNumber;
    this.#frequency.show(this.#slid());
    this.#duty.show(duty);
    this.#slider.setAttribute("aria-valuetext", hertz(this.#slid()));
    this.#dutySlider.setAttribute("aria-valuetext", perMille(duty));
    this.#waveform.update(1e9 / this.#slid(), duty);
  }

  #sendJitter(amount: number | null): void {
    const kind = this.#kind.value as Settings["jitter"];
    const asked = amount ?? parseTime(this.#jitter.input.value) ?? 0;
    const least = this.#generator?.limits.jitter_amount_ns[0] ?? 1;
    if (kind === "none" && (amount === null || amount === 0)) this.#send({ jitter: kind, jitter_amount_ns: 0 });
    else if (kind === "none") this.#send({ jitter: "uniform", jitter_amount_ns: amount ?? 0 });
    else this.#send({ jitter: kind, jitter_amount_ns: Math.max(Math.round(asked), least, 1) });
  }

  #send(settings: SettingsAsked): void {
    const key = Object.keys(settings)[0] ?? "";
    const note = (text: string, bad = false): void => {
      if (!this.#more.note(key, text, bad)) this.#fieldOf(key).note(text, bad);
    };
    void api.set(settings).then(({ generator, differs }) => {
      this.#notice.clear();
      this.#show(generator);
      note(differs.map(differenceText).join("; "));
    }).catch((error: unknown) => {
      if (!this.#more.refused(key)) this.#fieldOf(key).refused();
      this.#notice.tell(error);
    });
  }

  #fieldOf(setting: string): Field<number> {
    switch (setting) {
      case "duty_per_mille": return this.#duty;
      case "packet": return this.#packet;
      case "count": return this.#count;
      case "jitter": return this.#jitter;
      default: return this.#frequency;
    }
  }

  #run(start: boolean): void {
    void this.#notice.attempt(() => (start ? api.start({ stages: this.#lines.stages() }) : api.stop()));
  }
}

/** Returns a slider's range in millihertz: from 1 Hz, where the generator can do less; that can be typed. */
function slidingRange([low, high]: Span): Span {
  return [Math.min(Math.max(low, 1_000), high / 2), high];
}

/** Formats what was asked for, where the field shows what was really set. */
function differenceText({ setting, asked }: Differs): string {
  if (typeof asked === "string") return `asked ${asked}`;
  if (setting === "frequency_millihertz") return `asked ${hertz(asked / 1000)}`;
  return `asked ${setting.endsWith("_ns") ? `${grouped(asked)} ns` : grouped(asked)}`;
}
