// The package in CommonJS. `tsc --strict` must accept this file.
import rijn = require("rijn");
import { load, RijnError } from "rijn/inline";

async function main(): Promise<void> {
  const { AESGCM }: rijn.Rijn = await rijn.load();
  const inline = await load();
  const [key, nonce] = [AESGCM.randomKey(), AESGCM.randomNonce()];
  const sealed: rijn.Bytes = new AESGCM(key).seal(nonce, nonce);
  new inline.AESGCM(key).open(nonce, sealed);
  try {
    new inline.AESGCM(key).open(nonce, nonce);
  } catch (error) {
    if (!(error instanceof RijnError && error.code === "tag")) throw error;
  }
}

main();
