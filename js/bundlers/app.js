// The small program that check.mjs bundles and runs. It gets `load` and `RijnError` from a line that
// check.mjs puts in front, so that the same text serves as an ES module and as CommonJS.

const bytes = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
const hex = (array) => Array.from(array, (byte) => byte.toString(16).padStart(2, "0")).join("");
const ok = (fact, name) => {
  if (!fact) throw new Error(`wrong: ${name}`);
};

/** Uses each part of the package that depends on the runtime. Returns the ciphertext and tag of the
 *  GCM specification's test case 4. */
async function program(source) {
  const rijn = await load(source);
  const { AESGCM } = rijn;
  ok(hex(AESGCM.randomKey()) !== hex(AESGCM.randomKey()), "random keys");

  const aead = new AESGCM(bytes("feffe9928665731c6d6a8f9467308308"));
  const nonce = bytes("cafebabefacedbaddecaf888");
  const data = bytes(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b5" +
      "25b16aedf5aa0de657ba637b39",
  );
  const ad = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  const sealed = aead.seal(nonce, data, ad);
  ok(hex(aead.open(nonce, sealed, ad)) === hex(data), "opened");
  sealed[0] ^= 1;
  try {
    aead.open(nonce, sealed, ad);
    ok(false, "a forgery was opened");
  } catch (error) {
    ok(error instanceof RijnError && error.code === "tag", `refused with ${error}`);
  }
  sealed[0] ^= 1;

  const auto = new AESGCM(AESGCM.randomKey(16), { engine: "auto" });
  const long = new Uint8Array(20_000).fill(7);
  const awaited = await auto.sealAsync(nonce, long);
  ok(hex(awaited) === hex(auto.seal(nonce, long)), "a long message");

  const key = AESGCM.randomKey(16);
  const message = new Response(data).body
    .pipeThrough(rijn.encryptStream(key))
    .pipeThrough(rijn.decryptStream(key));
  ok(hex(new Uint8Array(await new Response(message).arrayBuffer())) === hex(data), "a stream");
  return hex(sealed);
}

/** Returns the line that check.mjs waits for. */
const outcome = (source) =>
  program(source).then(
    (sealed) => `done ${sealed}`,
    (error) => `failed ${error?.stack ?? error}`,
  );
