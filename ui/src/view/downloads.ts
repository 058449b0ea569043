// SPDX-License-Identifier: Apache-2.0 OR MIT
// The files of a run, to be kept.

import type { FileEntry } from "../api/types.js";
import { bytes } from "../core/quantity.js";
import { h } from "../dom.js";

export function downloads(id: string, files: readonly FileEntry[]): HTMLElement {
  const picture = ({ name }: FileEntry) => /\.(svg|png)$/.test(name);
  const data = files.filter((file) => !picture(file)).sort((a, b) => rank(a) - rank(b));
  const csv = `/api/runs/${encodeURIComponent(id)}/export/csv`;
  return h("div", { class: "downloads" },
    h("ul", { "aria-label": "Files of the run" },
      h("li", {}, h("a", { href: csv, download: `${id}.csv` }, "samples.csv")),
      ...data.map((file) => h("li", {}, link(file)))),
    pictures(files.filter(picture)));
}

/** Ranks files: the most wanted come first. */
function rank({ name }: FileEntry): number {
  const place = ["samples.parquet", "summary.json", "manifest.json", "report.html", "run.log"].indexOf(name);
  return place < 0 ? 99 : place;
}

/** Groups files by picture, each in its formats. */
function pictures(files: readonly FileEntry[]): HTMLElement | null {
  const names = [...new Set(files.map(({ name }) => stem(name)))];
  if (names.length === 0) return null;
  return h("details", {}, h("summary", {}, `${names.length} pictures, as SVG and PNG`),
    h("ul", {}, ...names.map((name) => h("li", {}, `${name.replace(/^figures\//, "")} `,
      ...files.filter((file) => stem(file.name) === name).flatMap((file) => [
        h("a", { href: file.url, download: base(file.name), "aria-label": base(file.name) }, file.name.slice(name.length + 1).toUpperCase()), " ",
      ])))));
}

function link(file: FileEntry): HTMLElement {
  return h("span", {}, h("a", { href: file.url, download: base(file.name) }, file.name), h("span", { class: "muted" }, ` ${bytes(file.bytes)}`));
}

function stem(name: string): string {
  return name.replace(/\.[^.]+$/, "");
}

function base(name: string): string {
  return name.split("/").at(-1) ?? name;
}
