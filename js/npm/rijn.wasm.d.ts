/** The file's address, its bytes or a WebAssembly.Module, depending on the bundler. load() takes each
 *  of them. */
declare const source: string | Uint8Array | object;
export default source;
