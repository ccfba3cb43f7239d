// The manual of the package. Sizes are in bytes; every array of bytes may be a Node Buffer.
//
// Wrong arguments are a TypeError or a RangeError, thrown before anything is worked on; a message
// that is refused is a RijnError; where the linear memory cannot grow to a message, or to another
// key, it is a RangeError. No call changes what it is given, but for `out`. Of options, an object's
// own properties count.

/** "tag"        altered, or another key, nonce or associated data: nothing was given out
 *  "wrong-key"  of a stream: another key, AEAD or context, or an altered start
 *  "damaged"    of a stream: a chunk is not what was sealed
 *  "truncated"  of a stream: it stops before its end
 *  "destroyed"  the key was destroyed
 *  "trapped"    a call before was stopped in its middle, which is a RuntimeError of WebAssembly, or
 *               a RangeError where the stack ended: the memory was overwritten, its keys are gone
 *  "insecure"   streams need crypto.subtle, which a page has over https or from localhost */
export type Code =
  "tag" | "wrong-key" | "damaged" | "truncated" | "destroyed" | "trapped" | "insecure";

export class RijnError extends Error {
  readonly code: Code;
  constructor(code: Code, message: string);
}

/** backend: the name of a backend; without one it is the fastest that is constant time. */
export interface Options {
  backend?: string;
}

/** An expanded key, in the linear memory of the module. It is wiped by destroy, at the end of a
 *  `using` block where the language has those, and if it is forgotten, when the collector frees
 *  the object. */
export interface Key {
  /** The name of the backend. */
  readonly backend: string;
  /** Overwrites the key with zeros; every later call throws RijnError "destroyed". */
  destroy(): void;
}

/** Authenticated encryption; results are ciphertext || tag of 16 bytes, as of WebCrypto. */
export interface AEAD extends Key {
  /** A nonce must never come twice under one key (of AESGCMSIV: should not). */
  seal(nonce: Uint8Array, data: Uint8Array, ad?: Uint8Array): Uint8Array;
  /** Inverse. Throws RijnError "tag". */
  open(nonce: Uint8Array, sealed: Uint8Array, ad?: Uint8Array): Uint8Array;
  /** Into the first data.length + 16 bytes of out, which may lie over data. Returns how many. */
  sealInto(out: Uint8Array, nonce: Uint8Array, data: Uint8Array, ad?: Uint8Array): number;
  /** Into the first sealed.length - 16 bytes of out, which is left alone when it throws. */
  openInto(out: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, ad?: Uint8Array): number;
}

/** SP 800-38A section 6.5: the counter block is one big-endian integer of 128 bits. It does not
 *  authenticate: whoever alters the ciphertext alters what it decrypts to. */
export interface UnauthenticatedCTR extends Key {
  /** Encrypts and decrypts. counter: 16 bytes, the first counter block. */
  crypt(counter: Uint8Array, data: Uint8Array): Uint8Array;
  cryptInto(out: Uint8Array, counter: Uint8Array, data: Uint8Array): number;
}

/** SP 800-38B, tags of 16 bytes. */
export interface CMAC extends Key {
  tag(data: Uint8Array): Uint8Array;
  /** Throws RijnError "tag" for another tag. Compares in constant time. */
  verify(tag: Uint8Array, data: Uint8Array): void;
}

export interface KeyClass<T> {
  new (key: Uint8Array, options?: Options): T;
  readonly keySizes: readonly number[];
  /** Random bytes; without a size, of the longest there is. */
  randomKey(size?: number): Uint8Array;
}

export interface AEADClass extends KeyClass<AEAD> {
  /** Of randomNonce. AESGCM takes others than 12 too, AESCCM 7 to 13, AESOCB3 1 to 15, AESEAX any. */
  readonly nonceSize: number;
  readonly tagSize: 16;
  /** Safe for 2^32 messages under a key of AESGCM, AESCCM and AESOCB3, for 2^48 of AEGIS128, for
   *  as many as there will be of XAES256GCM and AEGIS256. */
  randomNonce(): Uint8Array;
}

/** One implementation. */
export interface Backend {
  readonly name: string;
  readonly summary: string;
  /** Why it cannot run here; "" when it can. */
  readonly reason: string;
  readonly available: boolean;
  /** No branch and no address depends on key or data. */
  readonly constantTime: boolean;
  /** It may be chosen without being named. */
  readonly automatic: boolean;
}

/** As `rijn encrypt --aead` has them. */
export type ChunkedName =
  | "aes-128-gcm"
  | "aes-256-gcm"
  | "aegis-128l"
  | "aegis-128x2"
  | "aegis-128x4"
  | "aegis-256"
  | "aegis-256x2"
  | "aegis-256x4";

/** aead: without one it is AES-GCM. context: bytes that both sides know, bound into the keys. */
export interface StreamOptions extends Options {
  aead?: ChunkedName;
  context?: Uint8Array;
}

export interface Rijn {
  readonly AESGCM: AEADClass;
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

  /** C2SP chunked encryption: what `rijn encrypt --bare` writes and `rijn decrypt --bare` reads.
   *  key: 16 or 32 bytes, uniformly random; it is copied, and the copy wiped. A message of any
   *  size takes the memory of a piece and a few chunks. */
  encryptStream(key: Uint8Array, options?: StreamOptions): TransformStream<Uint8Array, Uint8Array>;
  /** Inverse. Gives out chunks that are genuine, each as soon as it is known; that nothing is
   *  missing behind them is known when the stream has closed. Errors with RijnError. */
  decryptStream(key: Uint8Array, options?: StreamOptions): TransformStream<Uint8Array, Uint8Array>;
  readonly chunkedNames: readonly ChunkedName[];

  /** The one preferred most first. */
  readonly backends: readonly Backend[];
  /** Where keys and messages are, for those who look whether they are wiped. */
  readonly memory: WebAssembly.Memory;
}

/** Loads the module into a memory of its own. source: where rijn.wasm is (without one, beside this
 *  file), its bytes, or the module, compiled or instantiated; an instance can be loaded once. A
 *  relative address is one of the page or worker, or without those, of this file's folder.
 *
 *  Rejects with a TypeError for another source, and for an instance that is in use; an Error with
 *  the server's status; an error of the file system; a WebAssembly.CompileError or LinkError. */
export function load(
  source?: URL | string | BufferSource | WebAssembly.Module | WebAssembly.Instance,
): Promise<Rijn>;
