// Headless Chromium and a web server on the loopback interface, for page_check.mjs and
// bundlers/check.mjs.

import { createServer } from "node:http";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

/** Serves a folder. Returns its address and close(). */
export async function serve(folder) {
  const server = createServer(async ({ url }, response) => {
    try {
      const name = path.join(folder, new URL(url, "http://localhost").pathname);
      const content = await readFile(name);
      response.setHeader("Content-Type", TYPES[path.extname(name)]);
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Starts Chromium with a new profile. modules: a folder with puppeteer-core in it. Returns
 *  puppeteer's browser and close(). */
export async function launch(modules) {
  const puppeteer = await import(
    pathToFileURL(path.join(modules, "puppeteer-core/lib/esm/puppeteer/puppeteer-core.js"))
  );
  const profile = await mkdtemp(path.join(tmpdir(), "chromium-"));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    userDataDir: profile,
    args: FLAGS,
    pipe: true,
  });
  const close = async () => {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { browser, close };
}
