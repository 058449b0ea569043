// SPDX-License-Identifier: Apache-2.0 OR MIT
// Zooming, panning and cursors of a picture over time: wheel, drag, two fingers, keys.

import { panned, pinched, type Window, zoomed } from "../core/timebase.js";

export type Cursors = readonly [number | null, number | null];

export interface Held {
  readonly window: () => Window;
  readonly cursors: () => Cursors;
  readonly show: (window: Window) => void;
  readonly fit: () => void;
  readonly mark: (cursors: Cursors) => void;
  /** Points at an instant; null: at none. */
  readonly point: (at: number | null) => void;
}

/** A cursor is taken hold of within this distance, in pixels. */
const NEAR = 8;
/** A press that moves less is no drag. */
const STILL = 4;

export class Hand {
  /** The cursor that keys move. */
  #chosen: 0 | 1 = 0;
  readonly #fingers = new Map<number, number>();
  #grip: { readonly cursor: 0 | 1 | null; x: number; moved: number } | null = null;
  #pinch: readonly [number, number] | null = null;

  constructor(private readonly box: HTMLElement, private readonly held: Held) {
    box.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    box.addEventListener("pointerdown", (event) => this.#down(event));
    box.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"] as const) box.addEventListener(end, (event) => this.#up(event));
    box.addEventListener("pointerleave", () => held.point(null));
    box.addEventListener("keydown", (event) => this.#key(event));
  }

  #share(x: number): number {
    const { left, width } = this.box.getBoundingClientRect();
    return (x - left) / Math.max(width, 1);
  }

  #at(x: number): number {
    const { from, to } = this.held.window();
    return from + this.#share(x) * (to - from);
  }

  #pixel(): number {
    const { from, to } = this.held.window();
    return (to - from) / Math.max(this.box.clientWidth, 1);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 30;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) * lines;
      this.held.show(panned(this.held.window(), by * this.#pixel()));
    } else this.held.show(zoomed(this.held.window(), this.#at(event.clientX), 1.0018 ** (event.deltaY * lines)));
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.box.setPointerCapture(event.pointerId);
    this.#fingers.set(event.pointerId, event.clientX);
    if (this.#fingers.size === 2) {
      this.#grip = null;
      this.#pinch = this.#both().map((x) => this.#at(x)) as [number, number];
    } else this.#grip = { cursor: this.#near(event.clientX), x: event.clientX, moved: 0 };
  }

  #both(): [number, number] {
    const [first = 0, second = 0] = this.#fingers.values();
    return [first, second];
  }

  /** Returns the cursor that is there. */
  #near(x: number): 0 | 1 | null {
    const away = this.held.cursors().map((at) => (at === null ? Infinity : Math.abs((at - this.#at(x)) / this.#pixel())));
    const [a = Infinity, b = Infinity] = away;
    if (Math.min(a, b) > NEAR) return null;
    return a <= b ? 0 : 1;
  }

  #move(event: PointerEvent): void {
    this.held.point(this.#at(event.clientX));
    if (this.#fingers.size === 0) this.box.classList.toggle("oncursor", this.#near(event.clientX) !== null);
    if (!this.#fingers.has(event.pointerId)) return;
    this.#fingers.set(event.pointerId, event.clientX);
    if (this.#pinch !== null && this.#fingers.size === 2) {
      const places = this.#both().map((x) => this.#share(x)) as [number, number];
      this.held.show(pinched(this.held.window(), this.#pinch, places));
      return;
    }
    const grip = this.#grip;
    if (grip === null) return;
    const by = event.clientX - grip.x;
    grip.moved = Math.max(grip.moved, Math.abs(by));
    if (grip.cursor !== null) this.#put(grip.cursor, this.#at(event.clientX));
    else if (grip.moved >= STILL) {
      this.held.show(panned(this.held.window(), -by * this.#pixel()));
      grip.x = event.clientX;
    }
  }

  #up(event: PointerEvent): void {
    const grip = this.#grip;
    const pressed = event.type === "pointerup" && grip !== null && grip.moved < STILL && grip.cursor === null;
    if (pressed && this.#pinch === null) this.#put(event.shiftKey ? 1 : 0, this.#at(event.clientX));
    this.#fingers.delete(event.pointerId);
    if (this.#fingers.size === 0) this.#pinch = null;
    this.#grip = null;
  }

  #put(cursor: 0 | 1, at: number): void {
    this.#chosen = cursor;
    const [a, b] = this.held.cursors();
    this.held.mark(cursor === 0 ? [at, b] : [a, at]);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const window = this.held.window();
    const middle = (window.from + window.to) / 2;
    const width = window.to - window.from;
    const towards = event.key === "ArrowLeft" ? -1 : 1;
    switch (event.key) {
      case "ArrowLeft": case "ArrowRight":
        if (event.shiftKey) this.#put(this.#chosen, (this.held.cursors()[this.#chosen] ?? middle) + towards * Math.max(this.#pixel(), 1));
        else this.held.show(panned(window, (towards * width) / 10));
        break;
      case "+": case "=": this.held.show(zoomed(window, middle, 0.7)); break;
      case "-": this.held.show(zoomed(window, middle, 1 / 0.7)); break;
      case "Home": this.held.fit(); break;
      case "a": this.#put(0, this.held.cursors()[0] ?? middle); break;
      case "b": this.#put(1, this.held.cursors()[1] ?? middle); break;
      case "Escape": this.held.mark([null, null]); break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
