// Measures from which size on WebCrypto seals AES-128-GCM faster than the module:
//
//     node engines.mjs PACKAGE            in this runtime; or in Deno or Bun instead of node
//     node engines.mjs PACKAGE MODULES    in Chromium; MODULES: npm packages with puppeteer-core
//
// Prints µs per message for both: the fastest of PASSES passes, which a busy machine disturbs least.
// Each message is awaited before the next.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** Returns rows of [size, µs of the module, µs of WebCrypto]. It also runs in pages. */
async function measured(load, { subtle }) {
  const PASSES = 20;
  const rijn = await load();
  const key = new Uint8Array(16);
  const iv = new Uint8Array(12);
  const aead = new rijn.AESGCM(key);
  const webKey = await subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv };
  const rows = [];
  for (let size = 1024; size <= 1 << 20; size *= 2) {
    const data = new Uint8Array(size);
    const calls = Math.max(8, Math.min(512, (1 << 21) / size)); // the clock of pages ticks slowly
    const best = [Infinity, Infinity];
    for (let pass = 0; pass < PASSES; pass++) {
      let begin = performance.now();
      for (let call = 0; call < calls; call++) aead.seal(iv, data);
      best[0] = Math.min(best[0], performance.now() - begin);
      begin = performance.now();
      for (let call = 0; call < calls; call++) await subtle.encrypt(algorithm, webKey, data);
      best[1] = Math.min(best[1], performance.now() - begin);
    }
    rows.push([size, ...best.map((time) => (1e3 * time) / calls)]);
  }
  return rows;
}

async function inChromium(folder, modules) {
  const { launch, serve } = await import("./browser.mjs");
  const server = await serve(folder);
  const { browser, close } = await launch(modules);
  try {
    const page = await browser.newPage();
    await writeFile(path.join(folder, "empty.html"), "");
    await page.goto(`${server.address}empty.html`);
    return await page.evaluate(
      `import("./index.js").then(({ load }) => (${measured})(load, crypto))`,
    );
  } finally {
    await close();
    server.close();
  }
}

const [folder, modules] = process.argv.slice(2).map((name) => path.resolve(name));
const { load } = await import(pathToFileURL(path.join(folder, "index.js")));
const webcrypto = globalThis.crypto ?? (await import("node:crypto")).webcrypto;
const rows = await (modules ? inChromium(folder, modules) : measured(load, webcrypto));
console.log("bytes     module, µs  WebCrypto, µs");
for (const [size, ours, theirs] of rows) {
  console.log(String(size).padEnd(10), ours.toFixed(1).padEnd(11), theirs.toFixed(1));
}
