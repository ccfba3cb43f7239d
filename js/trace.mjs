// Whether what rijn.wasm does depends on secrets:
//
//     node trace.mjs PACKAGE      the folder that build.py made
//
// A copy of the module reports addresses and conditions (instrument.mjs). A key is made and works
// on a message with one set of secrets and with others of the same sizes: the reports must be the
// same, entry by entry. On the backend `table`, which looks bytes up at secret addresses, they must
// differ, or this is blind.
//
// One line "PASSED name" or "FAILED name" for each class, size of its key, and backend; exits with 1 if
// one failed.

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

/** What is public: sizes, nonce and associated data; what is not, another each time. */
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

/** What is told while that is done: value and site in turns. */
function told(work) {
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

/** What is told while a key is made and works. */
function report(name, backend, bytes, work) {
  return told(() => {
    const key = new watched[name](bytes, { backend });
    try {
      work(key);
    } finally {
      key.destroy();
    }
  });
}

/** The site where two reports part; null if they are the same. */
function parting(one, other) {
  const at = one.findIndex((entry, i) => entry !== other[i]);
  if (at < 0 && one.length === other.length) return null;
  return one[at | 1] ?? "the end";
}

/** Where some reports, of other secrets each, part. */
function difference(reported) {
  const reports = Array.from({ length: 1 + OTHERS }, reported);
  return reports.slice(1).reduce((site, other) => site ?? parting(reports[0], other), null);
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

// ---- The calls of streams, which no class has ----

const [unseen, seen] = await Promise.all(
  [bytes, instrumented(bytes)].map(async (module) => (await instance(module)).exports),
);
const LAST = 100; // bytes of a message's only chunk
for (const { memory } of [unseen, seen]) memory.grow(1);

/** Has a chunk sealed or opened under a key, all of it laid behind the module's own memory. */
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
      return told(() => chunk(seen, call, AEADS[name], backend, key, given));
    });
    if (site !== null) found.push(`${call}_chunks at ${site}`);
  }
  return found;
}

// ---- All of them ----

/** examine: what finds where reports of a class part, on a backend, with keys of a size. */
function tried(what, examine, name, { name: backend, constantTime }, keySize) {
  examine(name, backend, keySize); // what is found once, and remembered
  const found = examine(name, backend, keySize);
  const good = constantTime ? found.length === 0 : found.length > 0;
  const said = constantTime ? "no report depends on secrets" : "its look-ups are seen";
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

/** A branch on what is told to everybody, whether a tag is right, is seen too. */
function refusalIsSeen() {
  const bytes = plain.AESGCM.randomKey();
  const nonce = plain.AESGCM.randomNonce();
  const sound = new plain.AESGCM(bytes).seal(nonce, bytes);
  const forged = sound.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
  const [genuine, refused] = [sound, forged].map((sealed) =>
    report("AESGCM", undefined, bytes, (key) => {
      try {
        key.open(nonce, sealed);
      } catch {} // of the forged one
    }),
  );
  return parting(genuine, refused) !== null;
}

if (refusalIsSeen()) {
  console.log("PASSED a branch on the tag is seen");
} else {
  console.log("FAILED a branch on the tag is seen");
  process.exitCode = 1;
}
