// Tests that the page reads the key files that docs/format.md describes, and no others:
//
//     node key_check.mjs VECTORS      vectors/format.json
//
// Exits with 1 if a check fails.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import process from "node:process";

// Imported as a module, even where Node takes a .js file for CommonJS.
const source = await readFile(new URL("page/key.js", import.meta.url), "utf-8");
const { fileKey, hex, keyFile, parsedKey } = await import(
  `data:text/javascript,${encodeURIComponent(source)}`
);
const { vectors } = JSON.parse(await readFile(process.argv[2], "utf-8"));
const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

let read = 0;
let refused = 0;
for (const { name, key_file: file, refused: why } of vectors) {
  if (file === undefined) continue;
  const bytes = unhex(file);
  if (why) {
    assert.throws(() => fileKey(bytes), Error, name);
    refused++;
  } else {
    assert.equal(hex(fileKey(bytes)), "404142434445464748494a4b4c4d4e4f", name);
    read++;
  }
}
assert.ok(read >= 7 && refused >= 25, `${read} read, ${refused} refused`);

// The page reads its own key files, and keys that are typed.
for (const size of [16, 32]) {
  const key = Uint8Array.from({ length: size }, (_, i) => 7 * i);
  const text = keyFile(key);
  assert.deepEqual(fileKey(new TextEncoder().encode(text)), key);
  for (const typed of [text, hex(key), ` ${hex(key).toUpperCase()}\n`, btoa(String.fromCharCode(...key))])
    assert.deepEqual(parsedKey(typed), key, typed);
}
for (const typed of ["", "zz", hex(new Uint8Array(24)), `${"0".repeat(32)}0`])
  assert.throws(() => parsedKey(typed), Error, typed);
