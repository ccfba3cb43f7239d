// The manual of the package. Sizes are in bytes. Every Uint8Array may be a Node Buffer.
//
// Wrong arguments throw a TypeError or RangeError before any work starts. A refused message throws
// a RijnError. A RangeError is also thrown if the linear memory cannot grow for a message or key.
// No call changes its arguments, except `out`. Options must be an object's own properties.

/// <reference lib="esnext.disposable" />

/** A new array: Uint8Array<ArrayBuffer> since TypeScript 5.7, before that Uint8Array. */
export type Bytes = ReturnType<Uint8ArrayConstructor["of"]>;

/** Reason of a RijnError:
 *
 *  "tag"        altered message, or another key, nonce or associated data; no data was returned
 *  "wrong-key"  stream: another key, AEAD or context, or an altered start
 *  "damaged"    stream: an altered chunk
 *  "truncated"  stream: the end is missing
 *  "destroyed"  the key was destroyed
 *  "trapped"    an earlier call stopped halfway, with a WebAssembly.RuntimeError or, on stack
 *               overflow, a RangeError; the memory was overwritten and all its keys are lost
 *  "insecure"   streams need crypto.subtle; pages have it over https or from localhost */
export type Code =
  "tag" | "wrong-key" | "damaged" | "truncated" | "destroyed" | "trapped" | "insecure";

export class RijnError extends Error {
  readonly code: Code;
  constructor(code: Code, message: string);
}

/** backend: the name of a backend. Default: the fastest constant-time backend. */
export interface Options {
  backend?: string;
}

/** An expanded key in the linear memory of the module. It is wiped by destroy(), at the end of a
 *  `using` block (if the language has `using`), or at garbage collection. */
export interface Key {
  /** The name of the backend. */
  readonly backend: string;
  /** Overwrites the key with zeros. Every later call throws RijnError "destroyed". */
  destroy(): void;
  /** The same, for `using`. It is missing where the runtime has no Symbol.dispose. */
  [Symbol.dispose](): void;
}

/** Authenticated encryption. Sealed messages are ciphertext || 16-byte tag, as in WebCrypto. */
export interface AEAD extends Key {
  /** Encrypts and authenticates data, and authenticates ad. A nonce must never repeat under one
   *  key (with AESGCMSIV: should not). */
  seal(nonce: Uint8Array, data: Uint8Array, ad?: Uint8Array): Bytes;
  /** Verifies and decrypts. Throws RijnError "tag". */
  open(nonce: Uint8Array, sealed: Uint8Array, ad?: Uint8Array): Bytes;
  /** Seals into the first data.length + 16 bytes of out and returns that size. out may overlap
   *  data. */
  sealInto(out: Uint8Array, nonce: Uint8Array, data: Uint8Array, ad?: Uint8Array): number;
  /** Opens into the first sealed.length - 16 bytes of out and returns that size. out may overlap
   *  sealed. It is unchanged if the call throws. */
  openInto(out: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, ad?: Uint8Array): number;
}

/** engine: "wasm" (default), or "auto": sealAsync and openAsync give long messages to WebCrypto. The
 *  runtime then has the key, too, and only garbage collection removes its copy. Whether WebCrypto is
 *  constant time depends on the runtime. */
export interface AESGCMOptions extends Options {
  engine?: "wasm" | "auto";
}

/** AES-GCM, also with promises. Messages are the same with every engine and call. */
export interface AESGCM extends AEAD {
  /** Like seal, and rejects with its errors. With engine "auto", WebCrypto seals data of 16 KiB or
   *  more under a nonce of 12 bytes, on another thread. The module seals other messages, or all if
   *  WebCrypto is missing or does not take the key. You may change the arguments as soon as the call
   *  returned. */
  sealAsync(nonce: Uint8Array, data: Uint8Array, ad?: Uint8Array): Promise<Bytes>;
  /** Like open, in the same way. Rejects with RijnError "tag". */
  openAsync(nonce: Uint8Array, sealed: Uint8Array, ad?: Uint8Array): Promise<Bytes>;
}

/** CTR (SP 800-38A section 6.5). The counter block is one 128-bit big-endian integer. CTR does not
 *  authenticate: changed ciphertext decrypts to changed plaintext without an error. */
export interface UnauthenticatedCTR extends Key {
  /** Encrypts or decrypts. counter: the first counter block, 16 bytes. */
  crypt(counter: Uint8Array, data: Uint8Array): Bytes;
  /** Encrypts or decrypts into the first data.length bytes of out and returns that size. */
  cryptInto(out: Uint8Array, counter: Uint8Array, data: Uint8Array): number;
}

/** CMAC (SP 800-38B) with 16-byte tags. */
export interface CMAC extends Key {
  /** Returns the tag of data. */
  tag(data: Uint8Array): Bytes;
  /** Throws RijnError "tag" if the tag does not match. Compares in constant time. */
  verify(tag: Uint8Array, data: Uint8Array): void;
}

export interface KeyClass<T, O = Options> {
  new (key: Uint8Array, options?: O): T;
  readonly keySizes: readonly number[];
  /** Returns random bytes. Default size: the longest key size. */
  randomKey(size?: number): Bytes;
}

export interface AEADClass<T = AEAD, O = Options> extends KeyClass<T, O> {
  /** Size of randomNonce(). Other sizes are allowed too: AESGCM and AESEAX take any (AESGCM at
   *  least 1), AESCCM 7 to 13, AESOCB3 1 to 15. */
  readonly nonceSize: number;
  readonly tagSize: 16;
  /** Returns a random nonce. So many messages under one key may have one: AESGCM 2^32, AESGCMSIV
   *  2^49 of 1 MiB, XAES256GCM 2^80, AEGIS128 2^48, AEGIS256 2^112. For AESCCM, AESOCB3 and AESEAX
   *  no document gives a number. */
  randomNonce(): Bytes;
}

/** An AES implementation in the module. */
export interface Backend {
  readonly name: string;
  readonly summary: string;
  /** Why it is not available; "" if it is. */
  readonly reason: string;
  readonly available: boolean;
  /** True if no branch and no address depends on key or data. */
  readonly constantTime: boolean;
  /** True if it can be the default. */
  readonly automatic: boolean;
}

/** The names that `rijn encrypt --aead` takes. */
export type ChunkedName =
  | "aes-128-gcm"
  | "aes-256-gcm"
  | "aegis-128l"
  | "aegis-128x2"
  | "aegis-128x4"
  | "aegis-256"
  | "aegis-256x2"
  | "aegis-256x4";

/** aead: default AES-GCM with the key's size. context: bytes that both sides know; the message key
 *  depends on them. */
export interface StreamOptions extends Options {
  aead?: ChunkedName;
  context?: Uint8Array;
}

export interface Rijn {
  readonly AESGCM: AEADClass<AESGCM, AESGCMOptions>;
  readonly AESGCMSIV: AEADClass;
  readonly XAES256GCM: AEADClass;
  readonly AESCCM: AEADClass;
  readonly AESOCB3: AEADClass;
  readonly AESEAX: AEADClass;
  readonly AEGIS128L: AEADClass;
  readonly AEGIS128X2: AEADClass;
  readonly AEGIS128X4: AEADClass;
  readonly AEGIS256: AEADClass;
  readonly AEGIS256X2: AEADClass;
  readonly AEGIS256X4: AEADClass;
  readonly UnauthenticatedCTR: KeyClass<UnauthenticatedCTR>;
  readonly CMAC: KeyClass<CMAC>;

  /** Encrypts a stream in the C2SP chunked format, as `rijn encrypt --bare` does. key: 16 or 32
   *  uniformly random bytes. The key is copied, and the copy is wiped. Memory use does not depend
   *  on the size of the message: one piece and a few chunks. */
  encryptStream(key: Uint8Array, options?: StreamOptions): TransformStream<Uint8Array, Bytes>;
  /** Decrypts a stream of encryptStream or `rijn encrypt --bare`. It yields only authentic chunks,
   *  each as soon as it is verified. The message is complete only if the stream closes without an
   *  error. Errors with a RijnError. */
  decryptStream(key: Uint8Array, options?: StreamOptions): TransformStream<Uint8Array, Bytes>;
  readonly chunkedNames: readonly ChunkedName[];

  /** All backends, most preferred first. */
  readonly backends: readonly Backend[];
  /** The linear memory with keys and messages, to check that secrets are wiped. */
  readonly memory: WebAssemblyType<"Memory">;
}

/** Loads the module into its own memory. source: the address of rijn.wasm (default: beside this file
 *  or its bundle; in rijn/inline, the bytes inside it), its bytes, a WebAssembly.Module or a
 *  WebAssembly.Instance. An Instance can be loaded once. A relative address starts at the page or
 *  worker, otherwise at this file's folder; rijn/inline then takes none.
 *
 *  Rejects with a TypeError for another kind of source or an instance that is already in use, an
 *  Error that names an address without the module, or a WebAssembly.CompileError or LinkError. */
export function load(
  source?:
    | (URL | string | ArrayBuffer | ArrayBufferView)
    | (WebAssemblyType<"Module"> | WebAssemblyType<"Instance">),
): Promise<Rijn>;

/** WebAssembly.Memory and the like, or object without lib.dom. */
type WebAssemblyType<Name extends string> = typeof globalThis extends {
  WebAssembly: Record<Name, { prototype: infer Type }>;
}
  ? Type
  : object;
