// Tests the package in Node, Deno or Bun:
//
//     node check.mjs PACKAGE CASES      the package folder that build.py wrote; output of cases.py
//
// Prints a line PASSED, FAILED or SKIPPED for each check. Exits with 1 if one failed.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";

const [folder, casesFile] = process.argv.slice(2).map((name) => path.resolve(name));
const { load, RijnError } = await import(pathToFileURL(path.join(folder, "index.js")));
const cases = JSON.parse(await readFile(casesFile, "utf-8"));
const rijn = await load();
const webcrypto = globalThis.crypto ?? (await import("node:crypto")).webcrypto;

const AEADS = Object.keys(rijn).filter((name) => rijn[name].nonceSize);
const TAG = 16;

const noise = (size) => {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65536)
    webcrypto.getRandomValues(bytes.subarray(at, at + 65536));
  return bytes;
};
const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const isRijnError = (code) => (error) => error instanceof RijnError && error.code === code;

function filled(bytes) {
  return bytes.some((byte) => byte !== 0);
}

// ---- The same bytes as the Python package ----

function sameBytes() {
  let count = 0;
  for (const { name, key, nonce, ad, data, sealed } of cases.messages) {
    for (const { name: backend } of rijn.backends) {
      const [k, n, a, d, s] = [key, nonce, ad, data, sealed].map(unhex);
      const aead = new rijn[name](k, { backend });
      assert.equal(aead.backend, backend);
      assert.deepEqual(aead.seal(n, d, a), s);
      assert.deepEqual(aead.open(n, s, a), d);
      aead.destroy();
      count++;
    }
  }
  for (const { key, counter, data, crypted, tag } of cases.raw) {
    const [k, c, d, e, t] = [key, counter, data, crypted, tag].map(unhex);
    const ctr = new rijn.UnauthenticatedCTR(k);
    assert.deepEqual(ctr.crypt(c, d), e);
    const mac = new rijn.CMAC(k);
    assert.deepEqual(mac.tag(d), t);
    mac.verify(t, d);
    count++;
  }
  assert.equal(new Set(cases.messages.map(({ name }) => name)).size, AEADS.length);
  assert(count > 100);
}

// ---- Refusals ----

function forgeries() {
  for (const name of AEADS) {
    const aead = new rijn[name](rijn[name].randomKey());
    const nonce = rijn[name].randomNonce();
    const ad = noise(5);
    const sealed = aead.seal(nonce, noise(100), ad);
    for (const at of [0, 99, 100, sealed.length - 1]) {
      const forged = sealed.slice();
      forged[at] ^= 1;
      assert.throws(() => aead.open(nonce, forged, ad), isRijnError("tag"));
      const out = new Uint8Array(100).fill(0xee);
      assert.throws(() => aead.openInto(out, nonce, forged, ad), isRijnError("tag"));
      assert(
        out.every((byte) => byte === 0xee),
        "out was changed",
      );
    }
    assert.throws(() => aead.open(nonce, sealed), isRijnError("tag"));
    assert.throws(() => aead.open(nonce, sealed.subarray(0, TAG - 1), ad), isRijnError("tag"));
    assert.throws(() => aead.open(nonce, sealed.subarray(1), ad), isRijnError("tag"));
  }
  const mac = new rijn.CMAC(noise(16));
  const tag = mac.tag(noise(50));
  assert.throws(() => mac.verify(tag, noise(50)), isRijnError("tag"));
}

function wrongArguments() {
  const { AESGCM, AEGIS256, AESCCM, UnauthenticatedCTR, CMAC } = rijn;
  const says = (error, message) => ({ name: error.name, message });
  assert.throws(() => new AESGCM("key"), says(TypeError, "key must be a Uint8Array, not String"));
  assert.throws(() => new AESGCM(), says(TypeError, "key must be a Uint8Array, not undefined"));
  assert.throws(
    () => new AESGCM(noise(15)),
    says(RangeError, "key must have 16 or 24 or 32 bytes, not 15"),
  );
  assert.throws(() => new AESGCM(noise(16), { backend: "vaes" }), /^RangeError: backend vaes: /);
  assert.throws(() => AEGIS256.randomKey(16), says(RangeError, "size must be 32 bytes, not 16"));
  const gcm = new AESGCM(noise(16));
  const nonce = noise(12);
  assert.throws(
    () => gcm.seal(noise(0), noise(1)),
    says(RangeError, "nonce must have at least 1 bytes, not 0"),
  );
  assert.throws(
    () => new AESCCM(noise(16)).seal(noise(14), noise(1)),
    says(RangeError, "nonce must have 7 to 13 bytes, not 14"),
  );
  assert.throws(
    () => new AEGIS256(noise(32)).seal(noise(16), noise(1)),
    says(RangeError, "nonce must have 32 bytes, not 16"),
  );
  assert.throws(
    () => gcm.seal(nonce, "text"),
    says(TypeError, "data must be a Uint8Array, not String"),
  );
  assert.throws(
    () => gcm.seal(nonce, [1]),
    says(TypeError, "data must be a Uint8Array, not Array"),
  );
  assert.throws(
    () => gcm.seal(nonce, new Uint16Array(2)),
    says(TypeError, "data must be a Uint8Array, not Uint16Array"),
  );
  assert.throws(
    () => gcm.seal(nonce, noise(1), null),
    says(TypeError, "ad must be a Uint8Array, not null"),
  );
  assert.throws(
    () => gcm.sealInto(noise(16), nonce, noise(1)),
    says(RangeError, "out must have at least 17 bytes, not 16"),
  );
  assert.throws(
    () => gcm.openInto(noise(0), nonce, noise(17)),
    says(RangeError, "out must have at least 1 bytes, not 0"),
  );
  const ctr = new UnauthenticatedCTR(noise(16));
  assert.throws(
    () => ctr.crypt(noise(12), noise(1)),
    says(RangeError, "counter must have 16 bytes, not 12"),
  );
  assert.throws(
    () => new CMAC(noise(16)).verify(noise(8), noise(1)),
    says(RangeError, "tag must have 16 bytes, not 8"),
  );
  assert.throws(
    () => rijn.encryptStream(noise(17)),
    says(RangeError, "key must have 16 or 32 bytes, not 17"),
  );
  for (const aead of ["aes", "constructor", "", null]) {
    assert.throws(() => rijn.encryptStream(noise(16), { aead }), /^RangeError: aead must be one of/);
  }
  assert.throws(() => rijn.decryptStream(noise(16), { context: null }), /^TypeError: context must /);
  for (const make of [(...args) => new AESGCM(...args), rijn.encryptStream, rijn.decryptStream]) {
    assert.throws(() => make(noise(16), { backend: "vaes" }), /^RangeError: backend vaes: /);
    assert.throws(() => make(noise(16), { backend: "table\0x" }), /^RangeError: .* contain a NUL$/);
  }
}

/** Inherited properties do not choose a backend, and lists of sizes cannot be changed. */
function sharedObjects() {
  Object.prototype.backend = "table";
  try {
    assert.notEqual(new rijn.AESGCM(noise(16)).backend, "table");
  } finally {
    delete Object.prototype.backend;
  }
  for (const name of [...AEADS, "CMAC", "UnauthenticatedCTR"]) {
    assert.throws(() => rijn[name].keySizes.push(1), TypeError);
  }
}

/** A subclass that overrides `length` has no effect. Detached views are refused. */
function strangeViews() {
  const key = new rijn.AESGCM(noise(16));
  const [nonce, data] = [noise(12), noise(8)];
  const sealed = key.seal(nonce, data);
  for (const length of [-300, 3, 1e9]) {
    class Strange extends Uint8Array {
      get length() {
        return length;
      }
    }
    assert.deepEqual(key.seal(nonce, new Strange(data.buffer)), sealed);
    assert.deepEqual(key.seal(new Strange(nonce.buffer), data), sealed);
    assert.equal(key.openInto(new Strange(8), nonce, sealed), 8);
    assert.throws(() => key.openInto(new Strange(7), nonce, sealed), RangeError);
  }
  const gone = noise(8);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  assert.throws(() => key.seal(nonce, data, gone), /^TypeError: ad: its buffer is detached/);
  assert.throws(() => key.seal(nonce, gone), /^TypeError: data: /);
  assert.throws(() => rijn.encryptStream(noise(16), { context: gone }), /^TypeError: context: /);
  const linear = new Uint8Array(rijn.memory.buffer, 0, 8); // growing detaches it
  const long = noise(rijn.memory.buffer.byteLength);
  assert.throws(() => key.seal(nonce, long, linear), TypeError);
}

/** A message that is too long is refused before anything is copied. */
async function tooLong() {
  const own = await load();
  const key = new own.AESGCM(noise(16));
  const before = own.memory.buffer.byteLength;
  const long = new Uint8Array(2 ** 31);
  assert.throws(() => key.seal(noise(12), long), /^RangeError: .* have 2147483676 bytes, more than /);
  assert.equal(own.memory.buffer.byteLength, before);
}

// ---- AESGCM with promises ----

/** Counts the messages that WebCrypto gets while `work` runs. `changes` replace its functions. */
async function messagesOfWebcrypto(work, changes = {}) {
  const { subtle } = webcrypto;
  let count = 0;
  const counted = (call) => (...args) => {
    count++;
    return call.apply(subtle, args);
  };
  const { encrypt, decrypt } = subtle;
  const replaced = { encrypt: counted(encrypt), decrypt: counted(decrypt), ...changes };
  Object.assign(subtle, replaced); // own properties, before those of the prototype
  try {
    await work();
  } finally {
    for (const name of Object.keys(replaced)) delete subtle[name];
  }
  return count;
}

/** Engine "auto" gives the module's results. WebCrypto gets long messages with usual nonces alone. */
async function engines() {
  const { AESGCM } = rijn;
  const LONG = 16384;
  for (const size of AESGCM.keySizes) {
    const key = noise(size);
    const [auto, wasm] = [new AESGCM(key, { engine: "auto" }), new AESGCM(key)];
    for (const [one, length, nonceSize, expected] of [
      [auto, 0, 12, 0],
      [auto, LONG - 1, 12, 0],
      [auto, LONG, 12, 2],
      [auto, 100_001, 12, 2],
      [auto, LONG, 16, 0],
      [wasm, LONG, 12, 0],
    ]) {
      for (const ad of [undefined, noise(0), noise(21)]) {
        const [nonce, data] = [noise(nonceSize), noise(length)];
        const count = await messagesOfWebcrypto(async () => {
          const sealed = await one.sealAsync(nonce, data, ad);
          assert.deepEqual(sealed, wasm.seal(nonce, data, ad));
          assert.deepEqual(await one.openAsync(nonce, sealed, ad), data);
        });
        assert.equal(count, expected, `${length} bytes, a nonce of ${nonceSize}`);
      }
    }
  }
}

/** Refusals and wrong arguments are the same with and without promises and with each engine. */
async function enginesRefuse() {
  const { AESGCM } = rijn;
  const nonce = noise(12);
  for (const size of [100, 20_000]) {
    const key = noise(16);
    const sealed = new AESGCM(key).seal(nonce, noise(size));
    const forged = sealed.map((byte, at) => (at === size ? byte ^ 1 : byte));
    for (const engine of ["wasm", "auto"]) {
      const aead = new AESGCM(key, { engine });
      const same = async (name, ...args) => {
        let expected;
        assert.throws(
          () => aead[name](...args),
          (error) => Boolean((expected = error)),
        );
        const { name: kind, message, code } = expected;
        await assert.rejects(aead[`${name}Async`](...args), (error) => {
          assert.deepEqual([error.name, error.message, error.code], [kind, message, code]);
          return error.constructor === expected.constructor;
        });
      };
      await same("open", nonce, forged);
      await same("open", nonce, sealed, noise(1));
      await same("open", nonce, sealed.subarray(1));
      await same("open", nonce, sealed.subarray(0, 15));
      await same("open", noise(0), sealed);
      await same("open", "nonce", sealed);
      await same("seal", nonce, sealed, "ad");
      await same("seal", nonce, sealed, null);
      await same("seal", nonce, new Uint16Array(20_000));
      await same("seal", nonce, new Uint8Array(2 ** 31));
      aead.destroy();
      await same("seal", nonce, sealed);
      await same("open", nonce, sealed);
    }
  }
  for (const engine of ["webcrypto", "", null, 1, "toString"]) {
    assert.throws(
      () => new AESGCM(noise(16), { engine }),
      /^RangeError: engine must be wasm or auto, not /,
    );
  }
}

/** The caller may change its arrays as soon as a call returns, and use any kind of memory. */
async function enginesCopy() {
  const { AESGCM } = rijn;
  const key = noise(16);
  const given = key.slice();
  const auto = new AESGCM(given, { engine: "auto" });
  given.fill(0);
  const wasm = new AESGCM(key);
  for (const turn of ["the key is not yet imported", "the key is imported"]) {
    const [nonce, data, ad] = [noise(12), noise(50_000), noise(10)];
    const sealed = wasm.seal(nonce, data, ad);
    const args = [nonce, data, ad].map((one) => one.slice());
    const promise = auto.sealAsync(...args);
    for (const one of args) one.fill(0xee);
    assert.deepEqual(await promise, sealed, turn);
    const others = [nonce, sealed, ad].map((one) => one.slice());
    const opening = auto.openAsync(...others);
    for (const one of others) one.fill(0xee);
    assert.deepEqual(await opening, data, turn);
    const shared = new Uint8Array(new SharedArrayBuffer(data.length));
    shared.set(data);
    assert.deepEqual(await auto.sealAsync(nonce, shared, ad), sealed);
  }
  const last = auto.sealAsync(noise(12), noise(50_000));
  auto.destroy();
  assert.equal((await last).length, 50_016);
}

/** Without crypto.subtle, or if it does not take the key, the module does the work. */
async function enginesFallBack() {
  const { AESGCM } = rijn;
  const [key, nonce, data] = [noise(24), noise(12), noise(50_000)];
  const importKey = () => Promise.reject(new DOMException("192 bits", "OperationError"));
  const throws = () => {
    throw new TypeError("importKey");
  };
  for (const refusing of [importKey, throws]) {
    const count = await messagesOfWebcrypto(
      async () => {
        const auto = new AESGCM(key, { engine: "auto" });
        for (let turn = 0; turn < 2; turn++) {
          const sealed = await auto.sealAsync(nonce, data);
          assert.deepEqual(sealed, new AESGCM(key).seal(nonce, data));
          assert.deepEqual(await auto.openAsync(nonce, sealed), data);
        }
      },
      { importKey: refusing },
    );
    assert.equal(count, 0);
  }
}

// ---- Memory ----

/** Growing the memory detaches all earlier views. Keys and results must survive it. */
async function growing() {
  const own = await load();
  const key = new own.AESGCM(noise(16));
  const [nonce, other] = [noise(12), noise(12)];
  const short = key.seal(nonce, noise(10));
  const before = own.memory.buffer.byteLength;
  const data = noise(5_000_000);
  const sealed = key.seal(other, data);
  assert(own.memory.buffer.byteLength > before);
  assert.equal(short.length, 26);
  assert.deepEqual(key.open(other, sealed), data);
  assert.equal(key.open(nonce, short).length, 10);
  const keys = Array.from({ length: 500 }, () => new own.AEGIS128L(noise(16)));
  for (const one of keys) one.destroy();
  assert.deepEqual(key.open(other, sealed), data);
}

/** The input of sealInto and openInto may overlap their output. */
function inPlace() {
  const key = new rijn.AEGIS128X4(noise(16));
  const nonce = noise(16);
  const buffer = noise(1000 + TAG);
  const data = buffer.slice(0, 1000);
  assert.equal(key.sealInto(buffer, nonce, buffer.subarray(0, 1000)), 1016);
  assert.deepEqual(buffer, key.seal(nonce, data));
  assert.equal(key.openInto(buffer.subarray(3), nonce, buffer), 1000);
  assert.deepEqual(buffer.slice(3, 1003), data);
}

/** Searches the memory of one instance for secrets. */
class Watch {
  static async begin(loading) {
    const module = await readFile(path.join(folder, "rijn.wasm"));
    const { instance } = await WebAssembly.instantiate(module);
    const watch = new Watch();
    watch.exports = instance.exports;
    watch.rijn = await loading(instance);
    return watch;
  }

  #secrets = new Set();

  /** Registers a secret. Any 8 bytes of it count as a find. */
  secret(bytes) {
    const view = new DataView(bytes.buffer);
    for (let at = 0; at + 8 <= bytes.length; at++) this.#secrets.add(view.getBigUint64(at));
    return bytes;
  }

  /** With `keys` keys alive: memory after their slots is zeros, and no secret is below the slots. */
  look(keys) {
    const { memory, __heap_base, slot_size } = this.exports;
    const slots = (__heap_base.value + 15) & ~15;
    const message = slots + keys * ((slot_size() + 15) & ~15);
    assert(!filled(new Uint8Array(memory.buffer, message)), "a slot or a message is left");
    const view = new DataView(memory.buffer, 0, slots);
    for (let at = 0; at + 8 <= slots; at++) {
      assert(!this.#secrets.has(view.getBigUint64(at)), "a secret is left on the stack");
    }
  }
}

/** Seals, opens, refuses a forgery and streams, with every class and backend. */
async function useAll(watch) {
  const { rijn: own } = watch;
  for (const name of Object.keys(own).filter((one) => own[one].randomKey)) {
    for (const { name: backend } of own.backends) useClass(watch, name, backend);
  }
  for (const aead of own.chunkedNames) {
    const key = watch.secret(noise(aead.includes("128") ? 16 : 32));
    const data = watch.secret(noise(40_000));
    const sealed = await through(data, own.encryptStream(key, { aead }), 7000, () => watch.look(1));
    watch.look(0);
    await through(sealed, own.decryptStream(key, { aead }), 7000, () => watch.look(1));
    watch.look(0);
    sealed[30_000] ^= 1;
    await assert.rejects(through(sealed, own.decryptStream(key, { aead })), isCode("damaged"));
    watch.look(0);
  }
}

const isCode = (code) => (error) => error.name === "RijnError" && error.code === code;

function useClass(watch, name, backend) {
  const Class = watch.rijn[name];
  const key = new Class(watch.secret(Class.randomKey()), { backend });
  const data = watch.secret(noise(200));
  const steps = (work) => {
    work();
    watch.look(1);
  };
  watch.look(1);
  if (key.seal) {
    const nonce = Class.randomNonce();
    const sealed = new Uint8Array(216);
    steps(() => key.seal(nonce, data));
    steps(() => key.sealInto(sealed, nonce, data));
    steps(() => key.open(nonce, sealed));
    steps(() => key.openInto(new Uint8Array(200), nonce, sealed));
    sealed[0] ^= 1;
    steps(() => assert.throws(() => key.open(nonce, sealed), isCode("tag")));
  } else if (key.crypt) {
    steps(() => key.crypt(noise(16), data));
    steps(() => key.cryptInto(new Uint8Array(200), noise(16), data));
  } else {
    steps(() => key.verify(key.tag(data), data));
    steps(() => assert.throws(() => key.verify(noise(16), data), isCode("tag")));
  }
  key.destroy();
  watch.look(0);
}

async function wiped() {
  await useAll(await Watch.begin(load));
}

/** If any one wipe is removed from the package, useAll() fails. */
async function everyWipeIsNeeded() {
  let count = 0;
  for (const file of ["memory.js", "ciphers.js", "chunked.js"]) {
    const source = await readFile(path.join(folder, file), "utf-8");
    for (const { 0: wipe, index } of source.matchAll(/^ *(memory|this)\.wipe\(.*\);\n/gm)) {
      const without = source.slice(0, index) + source.slice(index + wipe.length);
      const name = `${file}: ${wipe.trim()}`;
      await withCopy(file, without, async (other) => {
        await assert.rejects(useAll(await Watch.begin(other.load)), /is left/, name);
      });
      count++;
    }
  }
  assert.equal(count, 6);
}

async function withCopy(file, text, work) {
  const copy = await mkdtemp(path.join(tmpdir(), "rijn-"));
  try {
    for (const name of await readdir(folder)) {
      await writeFile(path.join(copy, name), await readFile(path.join(folder, name)));
    }
    await writeFile(path.join(copy, file), text);
    await work(await import(pathToFileURL(path.join(copy, "index.js"))));
  } finally {
    await rm(copy, { recursive: true });
  }
}

function destroyed() {
  const bytes = noise(16);
  const key = new rijn.AESGCM(bytes);
  key.destroy();
  key.destroy();
  const dead = isRijnError("destroyed");
  assert.throws(() => key.seal(noise(12), noise(1)), dead);
  assert.throws(() => key.open(noise(12), noise(17)), dead);
  assert.throws(() => key.backend, dead);
  if (Symbol.dispose) {
    const other = new rijn.CMAC(bytes);
    other[Symbol.dispose]();
    assert.throws(() => other.tag(noise(1)), dead);
    const auto = new rijn.AESGCM(bytes, { engine: "auto" });
    auto[Symbol.dispose]();
    assert.throws(() => auto.backend, dead);
  }
}

/** A key has no visible properties. */
function hidden() {
  for (const name of [...AEADS, "CMAC", "UnauthenticatedCTR"]) {
    const key = new rijn[name](rijn[name].randomKey());
    assert.equal(JSON.stringify(key), "{}");
    assert.deepEqual(Reflect.ownKeys(key), []);
  }
}

/** After a call that trapped, the memory is zeros and later calls fail. */
async function trapped() {
  const watch = await Watch.begin((instance) => {
    const seal = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    const exports = { value: { ...instance.exports, seal } };
    return load(Object.create(instance, { exports }));
  });
  const { rijn: own } = watch;
  const [key, mac] = [new own.AESGCM(noise(16)), new own.CMAC(noise(16))];
  assert.throws(() => key.seal(noise(12), noise(20)), WebAssembly.RuntimeError);
  assert(!filled(new Uint8Array(own.memory.buffer)));
  const dead = isRijnError("trapped");
  assert.throws(() => key.open(noise(12), noise(20)), dead);
  assert.throws(() => mac.tag(noise(1)), dead);
  assert.throws(() => key.backend, dead);
  assert.throws(() => new own.AEGIS128L(noise(16)), dead);
  assert.throws(() => own.encryptStream(noise(16)), dead);
  key.destroy();
}

/** Garbage collection wipes keys that were not destroyed. */
async function collected() {
  const collect = globalThis.gc ?? (globalThis.Bun && (() => Bun.gc(true)));
  if (!collect) return "no collector to call";
  const watch = await Watch.begin(load);
  (() => new watch.rijn.AESGCM(noise(16)))();
  assert.throws(() => watch.look(0), /is left/);
  for (let turn = 0; turn < 50; turn++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  watch.look(0);
}

// ---- Streams ----

async function through(bytes, transform, piece = 7000, each = () => {}) {
  const parts = [];
  const source = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += piece) {
        controller.enqueue(bytes.slice(at, at + piece));
      }
      controller.close();
    },
  });
  const reader = source.pipeThrough(transform).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    each();
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Reads streams of the Python package. The check `written` makes streams for check.py to read. */
async function streamsInterchange() {
  for (const { aead, key, context, plain, message } of cases.streams) {
    const [k, c, p, m] = [key, context, plain, message].map(unhex);
    for (const piece of [1 << 20, 16384, 977]) {
      assert.deepEqual(await through(m, rijn.decryptStream(k, { aead, context: c }), piece), p);
    }
    const sealed = await through(p, rijn.encryptStream(k, { aead, context: c }), 4096);
    assert.equal(sealed.length, m.length);
    assert.deepEqual(await through(sealed, rijn.decryptStream(k, { aead, context: c })), p);
  }
  assert.equal(new Set(cases.streams.map(({ aead }) => aead)).size, rijn.chunkedNames.length);
}

async function written() {
  const files = [];
  for (const { aead, key, plain } of cases.streams.filter(({ context }) => !context)) {
    const sealed = await through(unhex(plain), rijn.encryptStream(unhex(key), { aead }));
    files.push({ aead, key, plain, message: hex(sealed) });
  }
  await writeFile(`${casesFile}.written`, JSON.stringify(files));
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function alteredStreams() {
  const key = noise(16);
  const data = noise(50_000);
  const whole = 16384 + TAG;
  for (const aead of ["aes-128-gcm", "aegis-128x2"]) {
    const sealed = await through(data, rijn.encryptStream(key, { aead }));
    const refused = async (bytes, code, given = 0) => {
      let count = 0;
      const sink = new WritableStream({ write: (part) => void (count += part.length) });
      const source = new Blob([bytes]).stream();
      await assert.rejects(
        source.pipeThrough(rijn.decryptStream(key, { aead })).pipeTo(sink),
        isRijnError(code),
      );
      assert(count <= given, `${count} bytes were returned`);
    };
    const altered = (at) => sealed.map((byte, i) => (i === at ? byte ^ 1 : byte));
    await refused(altered(0), "wrong-key");
    await refused(altered(55), "wrong-key");
    await refused(altered(56), "damaged");
    await refused(altered(56 + whole), "damaged", 16384);
    await refused(altered(sealed.length - 1), "truncated", 3 * 16384);
    for (const size of [0, 10, 55, 56, 56 + 15])
      await refused(sealed.subarray(0, size), "truncated");
    await refused(sealed.subarray(0, 56 + 100), "damaged");
    for (const chunks of [1, 2, 3]) {
      await refused(sealed.subarray(0, 56 + chunks * whole), "truncated", chunks * 16384);
    }
    await refused(sealed.subarray(0, 56 + whole + 100), "truncated", 16384);
    const swapped = sealed.slice();
    swapped.copyWithin(56, 56 + whole, 56 + 2 * whole);
    await refused(swapped, "damaged");
    const other = rijn.decryptStream(noise(16), { aead });
    await assert.rejects(through(sealed, other), isRijnError("wrong-key"));
    const context = rijn.decryptStream(key, { aead, context: noise(1) });
    await assert.rejects(through(sealed, context), isRijnError("wrong-key"));
  }
}

/** The caller may reuse the key and the context at once, and a stream does not change them. */
async function streamsKeepNothing() {
  const [key, context] = [noise(32), noise(9)];
  const data = noise(20_000);
  for (const kind of [Uint8Array, Buffer]) {
    const given = [kind.from(key), kind.from(context)];
    const asked = () => [given[0], { context: given[1] }];
    const sealed = await through(data, rijn.encryptStream(...asked()), 20_000);
    assert.deepEqual(await through(sealed, rijn.decryptStream(...asked())), data);
    assert.deepEqual(given.map(hex), [key, context].map(hex));
    const [seal, open] = [rijn.encryptStream(...asked()), rijn.decryptStream(...asked())];
    for (const one of given) one.fill(0);
    assert.deepEqual(await through(sealed, open), data);
    const again = await through(data, seal, 20_000);
    assert.deepEqual(await through(again, rijn.decryptStream(key, { context })), data);
  }
}

/** A cancelled stream leaves no key, wherever it is cancelled. */
async function cancelled() {
  if (!(await cancelIsCalled())) return "this runtime does not call a transformer's cancel()";
  const key = noise(32);
  const sealed = await through(noise(50_000), rijn.encryptStream(key));
  const watch = await Watch.begin(load);
  for (const make of [watch.rijn.encryptStream, watch.rijn.decryptStream]) {
    for (const end of ["cancel", "abort"]) {
      for (let turns = 0; turns < 60; turns += turns < 12 ? 1 : 8) {
        await endEarly(make(key), sealed.subarray(0, 60), end, turns);
        watch.look(0);
      }
    }
  }
}

async function cancelIsCalled() {
  let called = false;
  const { readable } = new TransformStream({ cancel: () => void (called = true) });
  await readable.cancel();
  return called;
}

/** Writes a piece, waits for this many microtasks, then cancels or aborts the stream. */
async function endEarly(transform, piece, end, turns) {
  const writer = transform.writable.getWriter();
  const reader = transform.readable.getReader();
  const drain = async () => {
    while (!(await reader.read()).done);
  };
  const working = [drain(), writer.write(piece), reader.closed, writer.closed];
  for (const one of working) one.catch(() => {}); // runtimes differ in which of them reject
  for (let turn = 0; turn < turns; turn++) await null;
  await (end === "cancel" ? reader.cancel() : writer.abort());
  await new Promise((resolve) => setTimeout(resolve, 20)); // the key derivation may still run
}

// ---- Loading ----

/** Serves rijn.wasm, without a media type, while `work` runs. */
async function served(work) {
  const server = createServer(async ({ url }, response) => {
    if (url !== "/rijn.wasm") return response.writeHead(404).end();
    return response.end(await readFile(path.join(folder, "rijn.wasm")));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** All ways to import the package give the same results. */
async function formats() {
  const key = noise(16);
  const nonce = noise(12);
  const sealed = new rijn.AESGCM(key).seal(nonce, key);
  const inline = await import(pathToFileURL(path.join(folder, "inline.js")));
  const commonjs = createRequire(import.meta.url)(path.join(folder, "index.cjs"));
  const bytes = await readFile(path.join(folder, "rijn.wasm"));
  for (const one of [inline, commonjs]) {
    assert.deepEqual(Object.keys(one).sort(), ["RijnError", "load"]);
    for (const source of [undefined, bytes, pathToFileURL(path.join(folder, "rijn.wasm"))]) {
      const own = await one.load(source);
      assert.deepEqual(new own.AESGCM(key).seal(nonce, key), sealed);
      const refusal = (error) => error instanceof one.RijnError && error.code === "tag";
      assert.throws(() => new own.AESGCM(key).open(nonce, sealed.map((byte) => ~byte)), refusal);
    }
    await assert.rejects(one.load(null), /^TypeError: source must be an address, bytes, /);
  }
  assert.equal(inline.RijnError, RijnError);
}

async function loading() {
  const bytes = await readFile(path.join(folder, "rijn.wasm"));
  const module = await WebAssembly.compile(bytes);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const url = pathToFileURL(path.join(folder, "rijn.wasm"));
  const exact = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const nonce = noise(12);
  const key = noise(16);
  const sealed = new rijn.AESGCM(key).seal(nonce, key);
  const elsewhere = runInNewContext("(size) => new ArrayBuffer(size)")(bytes.length);
  new Uint8Array(elsewhere).set(bytes);
  const instance = new WebAssembly.Instance(module);
  for (const source of [undefined, url, url.href, bytes, exact, elsewhere, module, instance]) {
    const own = await load(source);
    assert.notEqual(own.memory, rijn.memory);
    assert.deepEqual(new own.AESGCM(key).seal(nonce, key), sealed);
  }
  await assert.rejects(load(instance), /^TypeError: source: the instance is already in use/);
  const remedy = / Put rijn.wasm there, give load\(\) its address or bytes, or import "rijn\/inline"\.$/;
  const refused = async (address, reason) => {
    await assert.rejects(load(address), reason);
    await assert.rejects(load(address), remedy);
  };
  await refused(new URL("./nothing.wasm", url), /^Error: cannot read file:.*nothing.wasm: ENOENT: /);
  await refused("nothing.wasm", /^Error: cannot read file:.*nothing.wasm: ENOENT: /);
  await refused(new URL("./index.js", url), /index.js is not a WebAssembly module\. /);
  await refused(`data:,not found`, /^Error: data:,not found is not a WebAssembly module\. /);
  await refused(`data:application/octet-stream;base64,AGE=`, /is not a WebAssembly module\. /);
  await served(async (address) => {
    const own = await load(`${address}rijn.wasm`);
    assert.deepEqual(new own.AESGCM(key).seal(nonce, key), sealed);
    await refused(`${address}nothing`, /^Error: cannot read http:.*nothing: 404 Not Found\. /);
  });
  await refused("http://127.0.0.1:9/", /^Error: cannot read http:\/\/127.0.0.1:9\/: /);
  for (const source of [null, 7, {}, new Response(bytes)]) {
    await assert.rejects(load(source), /^TypeError: source must be an address, bytes, /);
  }
}

// ---- All of them ----

const checks = {
  sameBytes,
  forgeries,
  wrongArguments,
  sharedObjects,
  strangeViews,
  tooLong,
  engines,
  enginesRefuse,
  enginesCopy,
  enginesFallBack,
  growing,
  inPlace,
  wiped,
  everyWipeIsNeeded,
  destroyed,
  hidden,
  trapped,
  collected,
  streamsInterchange,
  written,
  alteredStreams,
  streamsKeepNothing,
  cancelled,
  loading,
  formats,
};
for (const [name, check] of Object.entries(checks)) {
  try {
    const skipped = await check();
    console.log(skipped ? `SKIPPED ${name}: ${skipped}` : `PASSED ${name}`);
  } catch (error) {
    console.log(`FAILED ${name}`);
    console.log(error);
    process.exitCode = 1;
  }
}
