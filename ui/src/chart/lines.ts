// SPDX-License-Identifier: Apache-2.0 OR MIT
// Lines under each other on one canvas: levels of one sweep, or many sweeps on top of each other; what
// was waited for, as blocks on the same axis of time; and two cursors.

import type { CausePart } from "../api/types.js";
import { legible } from "../core/contrast.js";
import { round } from "../core/quantity.js";
import { ticks, type Window } from "../core/timebase.js";
import { density, depth, Level, levels, pile, type Sweeps, zeros } from "../core/wires.js";
import { ink, onInk } from "./ink.js";

export const LANE = 28;
export const AXIS = 24;
const SWING = 16;
const BLOCK = 22;
/** Depths of colour that can be distinguished. */
const DEPTHS = 12;

export interface Lane {
  readonly name: string;
  readonly colour: string | null;
  readonly edges: readonly number[];
  readonly toggles: boolean;
  /** The chosen trigger's instant, on the same clock. */
  readonly zero: number;
  /** Which line it is of each answer in `Picture.piled`, with the view. */
  readonly line: number;
  readonly piled: readonly Sweeps[];
}

export interface Picture {
  readonly lanes: readonly Lane[];
  readonly window: Window;
  /** Null: one sweep; else the line that sweeps are aligned on, "" for the trigger. */
  readonly align: string | null;
  readonly parts: readonly CausePart[];
  readonly cursors: readonly [number | null, number | null];
  /** Of what was read; outside of it nothing is known of the lines. */
  readonly known: Window;
  /** With the lanes' names in them: nothing beside says them. */
  readonly named: boolean;
}

export class LinesChart {
  readonly canvas = document.createElement("canvas");
  #picture: Picture | null = null;
  #due = false;
  #seen = true;
  /** Sweeps of the last pile. */
  sweeps = 0;
  readonly #sizes: ResizeObserver;
  readonly #sight: IntersectionObserver;
  readonly #offInk: () => void;

  constructor(private readonly box: HTMLElement, private readonly drawn: () => void) {
    box.append(this.canvas);
    this.#sizes = new ResizeObserver(() => this.redraw());
    this.#sizes.observe(box);
    this.#sight = new IntersectionObserver((entries) => {
      this.#seen = entries.at(-1)?.isIntersecting ?? true;
      if (this.#seen) this.redraw();
    }, { rootMargin: "100px" });
    this.#sight.observe(box);
    this.#offInk = onInk(() => this.redraw());
  }

  draw(picture: Picture): void {
    this.#picture = picture;
    // Takes its place at once: what is below would move if the height came with the first painting.
    const height = `${heightOf(picture)}px`;
    if (this.canvas.style.getPropertyValue("height") !== height) this.canvas.style.setProperty("height", height);
    this.redraw();
  }

  redraw(): void {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.paint();
    });
  }

  /** Paints at once, also what is not in sight: for print. */
  paint(always = false): void {
    const picture = this.#picture;
    const width = this.box.clientWidth;
    if (picture === null || width === 0 || !(this.#seen || always)) return;
    const height = heightOf(picture);
    const ratio = devicePixelRatio;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    const context = this.canvas.getContext("2d");
    if (context === null) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const painter = new Painter(context, picture, width, height);
    painter.grid();
    this.sweeps = picture.align === null ? 0 : painter.piled(picture.align);
    if (picture.align === null) painter.traces();
    painter.parts();
    painter.unread();
    if (picture.named) painter.names();
    painter.cursors();
    this.drawn();
  }

  close(): void {
    this.#sizes.disconnect();
    this.#sight.disconnect();
    this.#offInk();
  }
}

export function heightOf({ lanes, parts }: Picture): number {
  return AXIS + lanes.length * LANE + (parts.length > 0 ? BLOCK + 10 : 4);
}

class Painter {
  readonly #ink = ink();

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly picture: Picture,
    private readonly width: number,
    private readonly height: number,
  ) {}

  #x(at: number): number {
    const { from, to } = this.picture.window;
    return ((at - from) / (to - from)) * this.width;
  }

  /** Upper and lower level of a lane. */
  #levels(lane: number): readonly [number, number] {
    const low = AXIS + (lane + 1) * LANE - 6;
    return [low - SWING, low];
  }

  #colour(lane: Lane): string {
    const { panel, text } = this.#ink;
    return lane.colour === null ? text : legible(lane.colour, panel, text);
  }

  grid(): void {
    const { context, width, height } = this;
    const { muted, grid, font } = this.#ink;
    context.font = font;
    context.textBaseline = "middle";
    context.textAlign = "center";
    const all = ticks(this.picture.window, Math.max(2, Math.floor(width / 90)));
    for (const at of all) {
      const x = Math.round(this.#x(at)) + 0.5;
      context.fillStyle = at === 0 ? muted : grid;
      context.fillRect(x - 0.5, AXIS - 4, 1, height - AXIS + 4);
      context.fillStyle = muted;
      const label = at === 0 ? "0" : round(at);
      const half = context.measureText(label).width / 2;
      if (x - half >= 0 && x + half <= width) context.fillText(label, x, AXIS / 2 - 2);
    }
    context.fillStyle = grid;
    this.picture.lanes.forEach((_, lane) => context.fillRect(0, AXIS + (lane + 1) * LANE - 1, width, 1));
  }

  traces(): void {
    const columns = Math.max(1, Math.round(this.width * devicePixelRatio));
    const step = this.width / columns;
    this.picture.lanes.forEach((lane, number) => {
      const [high, low] = this.#levels(number);
      const all = levels(lane.edges, lane.zero, this.picture.window, columns, lane.toggles);
      const line = new Path2D();
      let level = all[0] === Level.High ? high : low;
      line.moveTo(0, level);
      for (let column = 0; column < columns; column += 1) {
        if (all[column] !== Level.Edge) continue;
        const x = column * step;
        line.lineTo(x, level);
        let after = column + 1;
        while (after < columns && all[after] === Level.Edge) after += 1;
        const next = after < columns ? (all[after] === Level.High ? high : low) : level === low ? high : low;
        // Edges closer than pixels are a block; a pulse shorter than one is a spike.
        line.lineTo(x, level === low ? high : low);
        line.lineTo(x, next);
        level = next;
      }
      line.lineTo(this.width, level);
      this.context.strokeStyle = this.#colour(lane);
      this.context.lineWidth = 1.5;
      this.context.lineJoin = "miter";
      this.context.stroke(line);
    });
  }

  /** Draws all sweeps, and returns how many. */
  piled(align: string): number {
    const columns = Math.max(1, Math.round(this.width));
    const { window } = this.picture;
    let most = 0;
    this.picture.lanes.forEach((lane, number) => {
      const all = density(columns);
      let sweeps = 0;
      for (const some of lane.piled) {
        const begins = zeros(some, align === "" ? null : align, window);
        sweeps += begins.length;
        pile(all, some.lines.lines[lane.line]?.at_ns ?? [], begins, window, lane.toggles);
      }
      most = Math.max(most, sweeps);
      if (sweeps > 0) this.#shade(lane, number, all.edges, all.high, sweeps);
    });
    return most;
  }

  #shade(lane: Lane, number: number, edges: Uint32Array, high: Uint32Array, sweeps: number): void {
    const [top, bottom] = this.#levels(number);
    const paths = Array.from({ length: DEPTHS + 1 }, () => new Path2D());
    const put = (count: number, x: number, y: number, h: number) => {
      const dark = Math.round(depth(count / sweeps) * DEPTHS);
      if (dark > 0) paths[dark]?.rect(x, y, 1, h);
    };
    for (let x = 0; x < edges.length; x += 1) {
      put(edges[x] ?? 0, x, top, bottom - top);
      if (!lane.toggles) {
        put(high[x] ?? 0, x, top - 1, 2);
        put(sweeps - (high[x] ?? 0), x, bottom - 1, 2);
      }
    }
    this.context.fillStyle = this.#colour(lane);
    if (lane.toggles) {
      this.context.globalAlpha = 0.5;
      this.context.fillRect(0, bottom - 0.5, this.width, 1);
    }
    paths.forEach((path, dark) => {
      this.context.globalAlpha = dark / DEPTHS;
      this.context.fill(path);
    });
    this.context.globalAlpha = 1;
  }

  /** Draws what was waited for, as decoded protocols are: a block with its name where there is room. */
  parts(): void {
    const { context, picture: { parts, lanes } } = this;
    const { text, muted, band, panel, bad, font, line } = this.#ink;
    const y = AXIS + lanes.length * LANE + 5;
    context.font = font;
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const part of parts) {
      const from = this.#x(part.start_ns);
      const to = this.#x(part.start_ns + part.length_ns);
      if (to < 0 || from > this.width) continue;
      const width = Math.max(to - from, 1);
      const culprit = part.meaning !== null;
      context.fillStyle = culprit ? bad : band;
      context.fillRect(from, y, width, BLOCK);
      context.fillStyle = culprit ? bad : line;
      context.fillRect(from, y, Math.min(1, width), BLOCK);
      const shown = Math.max(from, 0);
      const room = Math.min(to, this.width) - shown - 8;
      if (room < 14) continue;
      context.save();
      context.beginPath();
      context.rect(shown, y, room + 6, BLOCK);
      context.clip();
      context.fillStyle = culprit ? panel : part.cause === "own path" ? muted : text;
      context.fillText(part.name === "" ? part.cause : `${part.cause}: ${part.name}`, shown + 4, y + BLOCK / 2);
      context.restore();
    }
  }

  /** Covers the time of which nothing was read: a line that is drawn there would be made up. */
  unread(): void {
    const { context, width, height, picture: { known } } = this;
    const { ground, muted, font } = this.#ink;
    const [left, right] = [Math.max(this.#x(known.from), 0), Math.min(this.#x(known.to), width)];
    context.font = font;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const [from, to] of [[0, left], [right, width]] as const) {
      if (to - from < 1) continue;
      context.fillStyle = ground;
      context.fillRect(from, AXIS, to - from, height - AXIS);
      context.fillStyle = muted;
      const words = "zoom in or pan to read this";
      if (to - from > context.measureText(words).width + 16) context.fillText(words, (from + to) / 2, (AXIS + height) / 2);
    }
  }

  names(): void {
    const { context } = this;
    const { panel, muted, font } = this.#ink;
    context.font = font;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = panel;
    context.fillStyle = muted;
    this.picture.lanes.forEach(({ name }, lane) => {
      const y = this.#levels(lane)[0] + SWING / 2 - 2;
      context.strokeText(name, 2, y);
      context.fillText(name, 2, y);
    });
  }

  cursors(): void {
    const { context, height } = this;
    const { accent, ground, font } = this.#ink;
    this.picture.cursors.forEach((at, index) => {
      if (at === null) return;
      const x = Math.round(this.#x(at));
      if (x < 0 || x > this.width) return;
      context.fillStyle = accent;
      for (let y = AXIS - 8; y < height; y += 6) context.fillRect(x - 0.5, y, 1.5, 4);
      context.beginPath();
      context.roundRect(x - 8, 2, 16, 15, 3);
      context.fill();
      context.font = font;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillStyle = ground;
      context.fillText(index === 0 ? "A" : "B", x, 10);
    });
  }
}
