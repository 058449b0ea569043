// SPDX-License-Identifier: Apache-2.0 OR MIT
// A uPlot that fits its box and is drawn only while it can be seen.

import uPlot from "uplot";
import { onInk } from "./ink.js";

export type Options = Omit<uPlot.Options, "width" | "height">;

export class Plot {
  #plot: uPlot | null = null;
  #data: uPlot.AlignedData | null = null;
  #stale = false;
  #seen = false;
  readonly #sizes: ResizeObserver;
  readonly #sight: IntersectionObserver;
  readonly #offInk: () => void;
  /** Paper shows what no window does. */
  readonly #print = (): void => this.#render(true);

  /** `element` has a size of its own; `options` are asked for anew with a new theme. */
  constructor(
    readonly element: HTMLElement,
    private readonly options: () => Options,
  ) {
    this.#sizes = new ResizeObserver(() => this.#fit());
    this.#sizes.observe(element);
    this.#sight = new IntersectionObserver((entries) => {
      this.#seen = entries.at(-1)?.isIntersecting ?? false;
      this.#render();
    }, { rootMargin: "100px" });
    this.#sight.observe(element);
    this.#offInk = onInk(() => this.rebuild());
    addEventListener("beforeprint", this.#print);
  }

  draw(data: uPlot.AlignedData): void {
    this.#data = data;
    this.#stale = true;
    this.#render();
  }

  /** After a change of what `options` says. */
  rebuild(): void {
    this.#plot?.destroy();
    this.#plot = null;
    this.#stale = true;
    this.#render();
  }

  close(): void {
    this.#sizes.disconnect();
    this.#sight.disconnect();
    this.#offInk();
    removeEventListener("beforeprint", this.#print);
    this.#plot?.destroy();
    this.#plot = null;
    this.#data = null;
  }

  #render(always = false): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!(this.#seen || always) || !this.#stale || this.#data === null || width === 0) return;
    this.#stale = false;
    if (this.#plot === null) {
      this.#plot = new uPlot({ ...this.options(), width, height }, this.#data, this.element);
    } else {
      this.#plot.setData(this.#data);
    }
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (this.#plot === null) this.#render();
    else if (width > 0 && (this.#plot.width !== width || this.#plot.height !== height)) {
      this.#plot.setSize({ width, height });
    }
  }
}
