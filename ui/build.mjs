// SPDX-License-Identifier: Apache-2.0 OR MIT
// Bundles the page into dist/, or with --test the unit tests into dist-test/.

import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { build } from "esbuild";

async function page() {
  await rm("dist", { recursive: true, force: true });
  await mkdir("dist");
  await build({
    entryPoints: { app: "src/main.ts" },
    outdir: "dist",
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome108", "firefox108", "safari16"],
    legalComments: "none",
  });
  for (const name of ["index.html", "icon.svg"]) await copyFile(`src/${name}`, `dist/${name}`);
}

// Node 18 runs no TypeScript.
async function tests() {
  await rm("dist-test", { recursive: true, force: true });
  const names = (await readdir("test")).filter((name) => name.endsWith(".test.ts"));
  await build({
    entryPoints: names.map((name) => `test/${name}`),
    outdir: "dist-test",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node18",
    sourcemap: "inline",
  });
}

await (process.argv.includes("--test") ? tests() : page());
