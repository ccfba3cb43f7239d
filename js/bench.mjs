// Measures sealing in Node, compared with other packages:
//
//     node bench.mjs DIRECTORY      the folder that build.py wrote; peers in DIRECTORY/peers
//
// Prints MB/s at 64 bytes, 1 KiB, 16 KiB and 1 MiB: medians of nine passes. The contenders take
// turns, and all passes take about the same time. WebCrypto is awaited, as its users must.

import { createCipheriv, webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

const SIZES = [64, 1024, 16384, 1 << 20];
const PASSES = 9;
const PASS = 20; // milliseconds

const directory = path.resolve(process.argv[2]);
const imported = (...names) => import(pathToFileURL(path.join(directory, ...names)));
const { load } = await imported("rijn", "index.js");
const noble = await imported("peers", "node_modules", "@noble", "ciphers", "aes.js");
const rijn = await load();

const key = webcrypto.getRandomValues(new Uint8Array(16));
const nonce = webcrypto.getRandomValues(new Uint8Array(12));
const block = webcrypto.getRandomValues(new Uint8Array(16));

function ours(name, at, backend) {
  const one = new rijn[name](key, { backend });
  return one.seal ? (data) => one.seal(at, data) : (data) => one.crypt(at, data);
}

function into(name, at) {
  const one = new rijn[name](key);
  const out = new Uint8Array(Math.max(...SIZES) + rijn[name].tagSize);
  return (data) => one.sealInto(out, at, data);
}

function node(name, at) {
  return (data) => {
    const cipher = createCipheriv(name, key, at);
    const sealed = Buffer.concat([cipher.update(data), cipher.final()]);
    return name.endsWith("gcm") ? [sealed, cipher.getAuthTag()] : sealed;
  };
}

const imports = ["raw", key, "AES-GCM", false, ["encrypt"]];
const subtle = await webcrypto.subtle.importKey(...imports);

const IN_THE_MODULE = "rijn AES-128-GCM, in the module";
const contenders = {
  "rijn AES-128-GCM": ours("AESGCM", nonce),
  "rijn AES-128-GCM, sealInto": into("AESGCM", nonce),
  [IN_THE_MODULE]: await alone(),
  "@noble/ciphers AES-128-GCM": (data) => noble.gcm(key, nonce).encrypt(data),
  "WebCrypto AES-128-GCM": (data) =>
    webcrypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, subtle, data),
  "node:crypto AES-128-GCM": node("aes-128-gcm", nonce),
  "rijn AES-128-GCM-SIV": ours("AESGCMSIV", nonce),
  "@noble/ciphers AES-128-GCM-SIV": (data) => noble.gcmsiv(key, nonce).encrypt(data),
  "rijn AES-128-CTR": ours("UnauthenticatedCTR", block),
  "@noble/ciphers AES-128-CTR": (data) => noble.ctr(key, block).encrypt(data),
  "node:crypto AES-128-CTR": node("aes-128-ctr", block),
  "rijn AEGIS-128L": ours("AEGIS128L", block),
  "rijn AEGIS-128X2": ours("AEGIS128X2", block),
};
for (const { name } of rijn.backends.slice(1)) {
  contenders[`rijn AES-128-GCM, ${name}`] = ours("AESGCM", nonce, name);
}

/** Returns a call of the module itself, on a message that is already in its memory. */
async function alone() {
  const { instance } = await WebAssembly.instantiate(
    await readFile(path.join(directory, "rijn.wasm")),
  );
  const own = await load(instance);
  const { seal, slot_size, __heap_base } = instance.exports;
  alone.key = new own.AESGCM(key); // kept, or the collector wipes it
  own.memory.grow(Math.max(...SIZES) / 65536 + 1);
  const slot = (__heap_base.value + 15) & ~15;
  const message = slot + ((slot_size() + 15) & ~15);
  return (data) => seal(slot, message, data.length, nonce.length, 0);
}

/** Returns the milliseconds that this number of calls takes. */
async function timed(work, data, calls) {
  const begin = performance.now();
  for (let call = 0; call < calls; call++) {
    const made = work(data);
    if (made instanceof Promise) await made;
  }
  return performance.now() - begin;
}

async function callsOfAPass(work, data) {
  let calls = 1;
  while ((await timed(work, data, calls)) < PASS / 4) calls *= 2;
  return calls * 4;
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

const table = new Map(Object.keys(contenders).map((name) => [name, []]));
for (const size of SIZES) {
  const data = webcrypto.getRandomValues(Buffer.alloc(Math.min(size, 65536)));
  const whole = new Uint8Array(size).map((_, i) => data[i % data.length]);
  const entries = [];
  for (const [name, work] of Object.entries(contenders)) {
    entries.push({ name, work, calls: await callsOfAPass(work, whole), times: [] });
  }
  for (let pass = 0; pass < PASSES; pass++) {
    for (const { work, calls, times } of entries)
      times.push((await timed(work, whole, calls)) / calls);
  }
  for (const { name, times } of entries) table.get(name).push(median(times));
}

console.log(`rijn on ${rijn.backends[0].name}, Node ${process.versions.node}`);
console.log("MB/s at 64 B / 1 KiB / 16 KiB / 1 MiB; µs at 64 B");
for (const [name, times] of table) {
  const rates = times.map((time, i) => (SIZES[i] / time / 1e3).toPrecision(3));
  console.log(`${name.padEnd(34)} ${rates.join(" / ").padEnd(28)} ${(times[0] * 1e3).toFixed(2)}`);
}
const inside = table.get(IN_THE_MODULE)[0];
for (const name of ["rijn AES-128-GCM", "rijn AES-128-GCM, sealInto"]) {
  const own = ((table.get(name)[0] - inside) * 1e3).toFixed(2);
  console.log(`${name}: ${own} µs of a call with 64 bytes are spent outside the module`);
}
