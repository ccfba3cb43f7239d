/** What a bundler makes of the file: its address, its bytes, or a WebAssembly.Module. load() takes
 *  each of them. */
declare const source: string | Uint8Array | object;
export default source;
