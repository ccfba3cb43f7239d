// Tests that no address and no branch in rijn.wasm depends on secrets:
//
//     node trace.mjs PACKAGE      the package folder that build.py wrote
//
// A copy of the module reports addresses and conditions (instrument.mjs). Each call runs with one
// set of secrets, then with others of the same sizes. The reports must be equal, entry by entry. On
// the backend `table`, which looks up bytes at secret addresses, they must differ: otherwise the
// test would find nothing.
//
// Prints a line PASSED or FAILED for each class, key size and backend. Exits with 1 if one failed.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { instrumented } from "./instrument.mjs";

const OTHERS = 3;
const SIZES = [0, 15, 64, 1000];
const TAG = 16;

const folder = path.resolve(process.argv[2]);
const { load } = await import(pathToFileURL(path.join(folder, "index.js")));
const { AEADS } = await import(pathToFileURL(path.join(folder, "ciphers.js")));
const plain = await load();

let note = () => {};
const bytes = await readFile(path.join(folder, "rijn.wasm"));
const imports = { report: { note: (value, site) => note(value, site) } };
const instance = async (module) => (await WebAssembly.instantiate(module, imports)).instance;
const watched = await load(await instance(instrumented(bytes)));

/** Returns the arguments of each call. Sizes, nonce and associated data are public, so they stay
 *  the same. The secret arguments are new each time. */
function calls(name, size) {
  const { nonceSize } = plain[name];
  const at = new Uint8Array(nonceSize ?? 16).fill(7);
  const ad = new Uint8Array(20).fill(9);
  const bytes = () => crypto.getRandomValues(new Uint8Array(size));
  if (name === "CMAC") {
    const tagged = (key, data) => [key.tag(data), data];
    return { tag: () => [bytes()], verify: (key) => tagged(key, bytes()) };
  }
  if (!nonceSize) return { crypt: () => [at, bytes()] };
  return { seal: () => [at, bytes(), ad], open: (key) => [at, key.seal(at, bytes(), ad), ad] };
}

/** Runs `work` and returns the module's report: value and site in turns. */
function recorded(work) {
  const list = [];
  note = (value, site) => list.push(value, site);
  try {
    work();
  } finally {
    note = () => {};
  }
  if (!list.length) throw new Error("nothing was reported");
  return list;
}

/** Returns the report of expanding a key and calling `work` with it. */
function report(name, backend, bytes, work) {
  return recorded(() => {
    const key = new watched[name](bytes, { backend });
    try {
      work(key);
    } finally {
      key.destroy();
    }
  });
}

/** Returns the site of the first difference between two reports, or null. */
function firstDifference(one, other) {
  const at = one.findIndex((entry, i) => entry !== other[i]);
  if (at < 0 && one.length === other.length) return null;
  return one[at | 1] ?? "the end";
}

/** Makes several reports, each with new secrets. Returns the site of a difference, or null. */
function difference(reported) {
  const reports = Array.from({ length: 1 + OTHERS }, reported);
  return reports.slice(1).reduce((site, other) => site ?? firstDifference(reports[0], other), null);
}

function worked(name, backend, keySize, call, given) {
  const bytes = plain[name].randomKey(keySize);
  const own = new plain[name](bytes, { backend });
  const theirs = given(own);
  own.destroy();
  return report(name, backend, bytes, (key) => key[call](...theirs));
}

function examined(name, backend, keySize) {
  const found = [];
  for (const size of SIZES) {
    for (const [call, given] of Object.entries(calls(name, size))) {
      const site = difference(() => worked(name, backend, keySize, call, given));
      if (site !== null) found.push(`${call} of ${size} bytes at ${site}`);
    }
  }
  return found;
}

// ---- The calls of streams, which belong to no class ----

const [unseen, seen] = await Promise.all(
  [bytes, instrumented(bytes)].map(async (module) => (await instance(module)).exports),
);
const LAST = 100; // bytes of a message's only chunk
for (const { memory } of [unseen, seen]) memory.grow(1);

/** Seals or opens one chunk. Key, name, nonce and text are placed after the slot. */
function chunk(exports, call, { number, nonceSize }, backend, key, text) {
  const name = new TextEncoder().encode(`${backend}\0`);
  const nonce = new Uint8Array(nonceSize).fill(7);
  const slot = (exports.__heap_base.value + 15) & ~15;
  const memory = new Uint8Array(exports.memory.buffer);
  let end = slot + exports.slot_size();
  const [keyAt, nameAt, nonceAt, textAt] = [key, name, nonce, text].map((part) => {
    memory.set(part, end);
    end += part.length;
    return end - part.length;
  });
  const size = text.length;
  const status = exports.key_init(slot, number, keyAt, key.length, nameAt);
  if (status) throw new Error(`key_init: ${status}`);
  const failed =
    call === "seal"
      ? exports.seal_chunks(slot, end, nonceAt, 0n, 1, textAt, size)
      : exports.open_chunks(slot, end, 0, nonceAt, 0n, 1, textAt, size);
  if (failed) throw new Error(`${call}_chunks: ${failed}`);
  return memory.slice(end, end + size + (call === "seal" ? TAG : -TAG));
}

function examinedChunks(name, backend, keySize) {
  const secrets = () => [keySize, LAST].map((size) => crypto.getRandomValues(new Uint8Array(size)));
  const found = [];
  for (const call of ["seal", "open"]) {
    const site = difference(() => {
      const [key, data] = secrets();
      const given = call === "seal" ? data : chunk(unseen, "seal", AEADS[name], backend, key, data);
      return recorded(() => chunk(seen, call, AEADS[name], backend, key, given));
    });
    if (site !== null) found.push(`${call}_chunks at ${site}`);
  }
  return found;
}

// ---- All of them ----

/** Prints the result for one class, backend and key size. examine: returns the differences. */
function tried(what, examine, name, { name: backend, constantTime }, keySize) {
  examine(name, backend, keySize); // the first run may differ: the module caches what it detects
  const found = examine(name, backend, keySize);
  const good = constantTime ? found.length === 0 : found.length > 0;
  const said = constantTime ? "no report depends on secrets" : "its table look-ups are found";
  console.log(`${good ? "PASSED" : "FAILED"} ${what}, ${8 * keySize} bits, on ${backend}: ${said}`);
  if (!good) {
    console.log(found.join("\n"));
    process.exitCode = 1;
  }
}

const classes = Object.keys(plain).filter((name) => plain[name].randomKey);
const chunked = classes.filter((name) => /^(AESGCM|AEGIS.*)$/.test(name));
for (const backend of plain.backends) {
  for (const name of classes) {
    for (const size of plain[name].keySizes) tried(name, examined, name, backend, size);
  }
  for (const name of chunked) {
    const sizes = plain[name].keySizes.filter((size) => size !== 24);
    for (const size of sizes) tried(`chunks of ${name}`, examinedChunks, name, backend, size);
  }
}

/** Returns whether the branch on the tag's validity is found. That branch is public. */
function refusalIsSeen() {
  const bytes = plain.AESGCM.randomKey();
  const nonce = plain.AESGCM.randomNonce();
  const sound = new plain.AESGCM(bytes).seal(nonce, bytes);
  const forged = sound.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
  const [genuine, refused] = [sound, forged].map((sealed) =>
    report("AESGCM", undefined, bytes, (key) => {
      try {
        key.open(nonce, sealed);
      } catch {} // the forged message
    }),
  );
  return firstDifference(genuine, refused) !== null;
}

if (refusalIsSeen()) {
  console.log("PASSED a branch on the tag is found");
} else {
  console.log("FAILED a branch on the tag is found");
  process.exitCode = 1;
}
