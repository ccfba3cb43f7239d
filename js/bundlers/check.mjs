// Bundles a small program that uses the npm package with each bundler, and runs it:
//
//     node check.mjs DIRECTORY [--full] [WORD...]
//
// DIRECTORY  the folder that build.py wrote; the npm packages that this needs are installed in it. It
//            needs Linux, npm and chromium, too
// --full     Node 18 to 26 and Vite 5 to 8; without it, only Node 18 and 24, Vite 5 and 8
// WORD       only cases that have all these words in their names
//
// Each case installs nothing of its own: the package comes from the tarball, as users get it. A case
// passes if app.js returns the expected bytes where it runs. The bundlers run in Node 24 or later.
// Prints a line PASSED or FAILED for each case. Exits with 1 if one failed.

import { execFile, spawnSync } from "node:child_process";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { launch, serve } from "../browser.mjs";

const run = promisify(execFile);
const HERE = path.dirname(fileURLToPath(import.meta.url));
const PATIENCE = 60_000; // milliseconds for a page or a program
const CASE = 2 * PATIENCE;
const INSTALLING = 600_000;

// Test case 4 of the GCM specification.
const EXPECTED =
  "done 42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84" +
  "aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47";

const [given, ...words] = process.argv.slice(2).filter((word) => word !== "--full");
const full = process.argv.includes("--full");
const directory = path.resolve(given);

// ---- The tools, and the package as its users install it ----

const NODES = full ? [18, 20, 22, 24, 26] : [18, 24];
const VITES = full ? [5, 6, 7, 8] : [5, 8];
const TOOLS = [
  ...["esbuild@0.28", "rollup@4", "@rollup/plugin-node-resolve@16", "webpack@5"],
  ...["puppeteer-core@24", "bun@1", "deno@2"],
  ...VITES.map((version) => `vite${version}@npm:vite@${version}`),
  ...NODES.map((version) => `node${version}@npm:node-linux-${process.arch}@${version}`),
];

const home = path.join(directory, "bundlers");
const tools = path.join(home, full ? "tools-full" : "tools");
const modules = path.join(tools, "node_modules");
const apps = path.join(home, "apps");

async function install(folder, packages) {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "package.json"), '{ "private": true }\n');
  const flags = ["--silent", "--no-audit", "--no-fund", "--prefix", folder];
  await run("npm", ["install", ...flags, ...packages], { timeout: INSTALLING });
}

async function prepare() {
  const lock = path.join(tools, "package-lock.json");
  if (!(await readFile(lock).catch(() => null))) await install(tools, TOOLS);
  await rm(apps, { recursive: true, force: true });
  const tarballs = (await readdir(directory)).filter((name) => /^rijn-.*\.tgz$/.test(name));
  if (tarballs.length !== 1) throw new Error(`${directory} has ${tarballs.length} tarballs`);
  await install(apps, [path.join(directory, tarballs[0])]);
}

const nodeOf = (one) => path.join(modules, `node${one}/bin/node`);
const imported = (...names) => import(pathToFileURL(path.join(modules, ...names)));
const version = async (name) =>
  JSON.parse(await readFile(path.join(modules, name, "package.json"), "utf-8")).version;

// ---- Parts of a case ----

const TAILS = {
  program: "outcome().then(console.log);",
  page: "outcome().then((text) => (document.title = text));",
  worker: "outcome().then(postMessage);",
  service: `addEventListener("install", () => skipWaiting());
addEventListener("message", (event) =>
  event.waitUntil(outcome().then((text) => event.source.postMessage(text))),
);`,
};

/** Writes app.js under a name. format: its module system. where: a key of TAILS. */
async function source(folder, name, { from = "rijn", format = "esm", where = "page", tail } = {}) {
  const head =
    format === "esm"
      ? `import { load, RijnError } from "${from}";\n`
      : `const { load, RijnError } = require("${from}");\n`;
  const body = await readFile(path.join(HERE, "app.js"), "utf-8");
  await writeFile(path.join(folder, name), `${head}${body}${tail ?? TAILS[where]}\n`);
  return path.join(folder, name);
}

/** Copies rijn.wasm, as a user does whose bundler does not. */
const copyWasm = (folder) =>
  cp(path.join(apps, "node_modules/rijn/rijn.wasm"), path.join(folder, "rijn.wasm"));

// Puts a failed script into the title, where its own code cannot.
const WATCH = `<script>
  addEventListener("error", (event) => {
    document.title = "failed to load: " + (event.message ?? event.target.src);
  }, true);
</script>`;

const html = (folder, script, before = WATCH) =>
  writeFile(
    path.join(folder, "index.html"),
    `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${before}${script}`,
  );
const CLASSIC = '<script src="app.js"></script>';
const MODULE = '<script type="module" src="./app.js"></script>';

const ofWorker = (worker) => `const worker = ${worker};
worker.onmessage = ({ data }) => (document.title = data);
worker.onerror = ({ message }) => (document.title = "failed in the worker: " + message);
`;
const ofService = (type) => `
navigator.serviceWorker.addEventListener("message", ({ data }) => (document.title = data));
navigator.serviceWorker.register("./worker.js", { type: "${type}" });
navigator.serviceWorker.ready.then(({ active }) => active.postMessage("begin"));
`;

let chromium;

/** Returns the title of a page once the program has ended. */
async function title(address) {
  chromium ??= await launch(modules);
  const page = await chromium.browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  try {
    await page.goto(address, { timeout: PATIENCE });
    const ended = () => /^(done|failed) /.test(document.title);
    await page.waitForFunction(ended, { timeout: PATIENCE });
    return await page.title();
  } catch (error) {
    return `failed ${[error, ...errors].join("; ")}`;
  } finally {
    await page.close();
  }
}

async function served(folder) {
  const server = await serve(folder);
  try {
    return await title(`${server.address}index.html`);
  } finally {
    server.close();
  }
}

/** Runs a program and returns its last line. */
async function printed(program, ...options) {
  const { stdout } = await run(program, options, { timeout: PATIENCE, cwd: apps });
  return stdout.trimEnd().split("\n").at(-1);
}

/** Runs a bundle in each Node. Returns the first wrong line, or the right one. */
async function inNode(file) {
  for (const one of NODES) {
    const line = await printed(nodeOf(one), file);
    if (line !== EXPECTED) return `Node ${one}: ${line}`;
  }
  return EXPECTED;
}

// ---- Runtimes, without a bundler ----

// Each case is a name and a function. It gets a folder, and returns the last line of the program.
const cases = new Map();
const add = (name, work) => cases.set(name, work);

const runtimes = {
  ...Object.fromEntries(
    NODES.map((one) => [`Node ${one}`, [nodeOf(one)]]),
  ),
  Deno: [path.join(modules, ".bin/deno"), "run", "--allow-read"],
  Bun: [path.join(modules, ".bin/bun")],
};
for (const [name, program] of Object.entries(runtimes)) {
  for (const from of ["rijn", "rijn/inline"]) {
    for (const [format, verb, file] of [
      ["esm", "import", "app.mjs"],
      ["cjs", "require", "app.cjs"],
    ]) {
      add(`${name}, ${verb} ${from}`, async (folder) => {
        return printed(...program, await source(folder, file, { from, format, where: "program" }));
      });
    }
  }
  add(`${name}, worker thread`, async (folder) => {
    const tail = `import("node:worker_threads").then(async ({ parentPort }) =>
  parentPort.postMessage(await outcome()));`;
    const worker = await source(folder, "worker.mjs", { tail });
    await writeFile(
      path.join(folder, "app.mjs"),
      `import { Worker } from "node:worker_threads";
const worker = new Worker(${JSON.stringify(worker)});
worker.on("message", (text) => (console.log(text), worker.terminate()));
worker.on("error", (error) => console.log("failed " + error));
`,
    );
    return printed(...program, path.join(folder, "app.mjs"));
  });
}

// ---- esbuild ----

async function esbuild(folder, entry, options) {
  const { build } = await imported("esbuild/lib/main.js");
  const outfile = path.join(folder, "dist", options.name ?? "app.js");
  await build({
    ...{ entryPoints: [entry], bundle: true, outfile, logLevel: "silent" },
    ...{ platform: options.platform, format: options.format, loader: options.loader },
  });
  return outfile;
}

/** Writes a page for a bundle of this format into folder/dist. */
function pageOf(folder, format, before) {
  const commonjs = "<script>var module = { exports: {} }, exports = module.exports;</script>";
  const script = { esm: MODULE, iife: CLASSIC, cjs: commonjs + CLASSIC }[format];
  return html(path.join(folder, "dist"), script, before);
}

for (const from of ["rijn", "rijn/inline"]) {
  const how = from === "rijn" ? "rijn.wasm copied" : "inline";
  for (const format of ["esm", "cjs", "iife"]) {
    add(`esbuild ${format}, browser, ${how}`, async (folder) => {
      const entry = await source(folder, "entry.js", { from });
      await esbuild(folder, entry, { platform: "browser", format });
      await pageOf(folder, format);
      if (from === "rijn") await copyWasm(path.join(folder, "dist"));
      return served(path.join(folder, "dist"));
    });
    add(`esbuild ${format}, node, ${how}`, async (folder) => {
      const name = format === "esm" ? "app.mjs" : "app.cjs";
      const entry = await source(folder, "entry.js", { from, where: "program" });
      const app = await esbuild(folder, entry, { platform: "node", format, name });
      if (from === "rijn") await copyWasm(path.join(folder, "dist"));
      return inNode(app);
    });
  }
  add(`esbuild cjs, node, require, ${how}`, async (folder) => {
    const entry = await source(folder, "entry.cjs", { from, format: "cjs", where: "program" });
    const app = await esbuild(folder, entry, { platform: "node", format: "cjs", name: "app.cjs" });
    if (from === "rijn") await copyWasm(path.join(folder, "dist"));
    return inNode(app);
  });
  for (const [kind, format, make] of [
    ["worker", "iife", ofWorker('new Worker("./worker.js")')],
    ["module worker", "esm", ofWorker('new Worker("./worker.js", { type: "module" })')],
    ["service worker", "iife", ofService("classic")],
    ["module service worker", "esm", ofService("module")],
  ]) {
    add(`esbuild ${format}, ${kind}, ${how}`, async (folder) => {
      const where = kind.includes("service") ? "service" : "worker";
      const entry = await source(folder, "entry.js", { from, where });
      await esbuild(folder, entry, { platform: "browser", format, name: "worker.js" });
      await html(path.join(folder, "dist"), `<script>${make}</script>`);
      if (from === "rijn") await copyWasm(path.join(folder, "dist"));
      return served(path.join(folder, "dist"));
    });
  }
}
for (const [from, allowed] of [
  ["rijn", "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"],
  ["rijn/inline", "script-src 'self' 'wasm-unsafe-eval'"],
]) {
  add(`esbuild esm, page with a content security policy, ${from}`, async (folder) => {
    const entry = await source(folder, "entry.js", { from });
    await esbuild(folder, entry, { platform: "browser", format: "esm" });
    const policy = `default-src 'none'; ${allowed}`;
    const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    await pageOf(folder, "esm", meta);
    if (from === "rijn") await copyWasm(path.join(folder, "dist"));
    return served(path.join(folder, "dist"));
  });
}
add("esbuild cjs, node, rijn.wasm forgotten: the error says what to do", async (folder) => {
  const tail = 'outcome().then((text) => console.log(text.split("\\n")[0]));';
  const entry = await source(folder, "entry.js", { tail });
  const app = await esbuild(folder, entry, { platform: "node", format: "cjs", name: "app.cjs" });
  const line = await printed(nodeOf(24), app);
  const advice = /^failed Error: cannot read file:.*dist\/rijn.wasm: ENOENT.* Put rijn.wasm there, /;
  return advice.test(line) ? EXPECTED : line;
});
// As the renderer of a desktop program does: no server, and pages of file: cannot fetch.
add("esbuild iife, page from a file, inline", async (folder) => {
  const entry = await source(folder, "entry.js", { from: "rijn/inline" });
  await esbuild(folder, entry, { platform: "browser", format: "iife" });
  await pageOf(folder, "iife");
  return title(pathToFileURL(path.join(folder, "dist/index.html")).href);
});
add("esbuild iife, page from a file, rijn.wasm copied: the error says what to do", async (folder) => {
  const entry = await source(folder, "entry.js");
  await esbuild(folder, entry, { platform: "browser", format: "iife" });
  await pageOf(folder, "iife");
  await copyWasm(path.join(folder, "dist"));
  const line = await title(pathToFileURL(path.join(folder, "dist/index.html")).href);
  return /^failed Error: cannot read file:.* or import "rijn\/inline"\./.test(line) ? EXPECTED : line;
});
add("esbuild, rijn.wasm by the loader file", async (folder) => {
  const tail = `import address from "rijn/rijn.wasm";
outcome(new URL(address, import.meta.url)).then((text) => (document.title = text));`;
  const entry = await source(folder, "entry.js", { tail });
  await esbuild(folder, entry, {
    ...{ platform: "browser", format: "esm", loader: { ".wasm": "file" } },
  });
  await pageOf(folder, "esm");
  return served(path.join(folder, "dist"));
});
add("esbuild, rijn.wasm by the loader binary", async (folder) => {
  const tail = `import content from "rijn/rijn.wasm";
outcome(content).then((text) => (document.title = text));`;
  const entry = await source(folder, "entry.js", { tail });
  await esbuild(folder, entry, {
    ...{ platform: "browser", format: "iife", loader: { ".wasm": "binary" } },
  });
  await pageOf(folder, "iife");
  return served(path.join(folder, "dist"));
});

// ---- Rollup ----

async function rollup(folder, entry, { platform, format, name = "app.js" }) {
  const [{ rollup: bundle }, { default: resolve }] = await Promise.all([
    imported("rollup/dist/es/rollup.js"),
    imported("@rollup/plugin-node-resolve/dist/es/index.js"),
  ]);
  const plugins = [
    platform === "browser" ? resolve({ browser: true }) : resolve({ exportConditions: ["node"] }),
  ];
  const made = await bundle({ input: entry, plugins, onwarn: refuseWarnings });
  const file = path.join(folder, "dist", name);
  await made.write({ file, format });
  await made.close();
  return file;
}

function refuseWarnings(warning) {
  throw new Error(warning.message);
}

for (const from of ["rijn", "rijn/inline"]) {
  const how = from === "rijn" ? "rijn.wasm copied" : "inline";
  for (const format of ["esm", "iife"]) {
    add(`Rollup ${format}, browser, ${how}`, async (folder) => {
      const entry = await source(folder, "entry.js", { from });
      await rollup(folder, entry, { platform: "browser", format });
      await pageOf(folder, format);
      if (from === "rijn") await copyWasm(path.join(folder, "dist"));
      return served(path.join(folder, "dist"));
    });
  }
  for (const format of ["esm", "cjs"]) {
    add(`Rollup ${format}, node, ${how}`, async (folder) => {
      const name = format === "esm" ? "app.mjs" : "app.cjs";
      const entry = await source(folder, "entry.js", { from, where: "program" });
      const app = await rollup(folder, entry, { platform: "node", format, name });
      if (from === "rijn") await copyWasm(path.join(folder, "dist"));
      return inNode(app);
    });
  }
}

// ---- Vite: the defaults, and no configuration ----

for (const one of VITES) {
  const vite = () => imported(`vite${one}/dist/node/index.js`);
  const options = (folder) => ({
    ...{ root: folder, configFile: false, logLevel: "silent", base: "./" },
    ...{ cacheDir: path.join(folder, ".vite") },
  });
  for (const from of ["rijn", "rijn/inline"]) {
    for (const kind of ["page", "worker"]) {
      const write = async (folder) => {
        if (kind === "page") {
          await source(folder, "app.js", { from });
        } else {
          await source(folder, "worker.js", { from, where: "worker" });
          const worker = 'new Worker(new URL("./worker.js", import.meta.url), { type: "module" })';
          await writeFile(path.join(folder, "app.js"), ofWorker(worker));
        }
      };
      add(`Vite ${one}, dev, ${kind}, ${from}`, async (folder) => {
        await write(folder);
        await html(folder, MODULE, "");
        const { createServer } = await vite();
        const server = await createServer({
          ...options(folder),
          server: { host: "127.0.0.1", port: 0 },
        });
        try {
          await server.listen();
          return await title(server.resolvedUrls.local[0]);
        } finally {
          await server.close();
        }
      });
      add(`Vite ${one}, build, ${kind}, ${from}`, async (folder) => {
        await write(folder);
        await html(folder, MODULE);
        const { build } = await vite();
        await build(options(folder));
        return served(path.join(folder, "dist"));
      });
    }
  }
}

// ---- webpack ----

async function webpack(folder, entry, { target, mode = "production", name = "app.js" }) {
  const { default: bundle } = await imported("webpack/lib/index.js");
  const stats = await promisify(bundle)({
    ...{ entry, target, mode, context: folder, devtool: false, performance: false },
    output: { path: path.join(folder, "dist"), filename: name },
  });
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  const wrong = [...errors, ...warnings];
  if (wrong.length) throw new Error(wrong.map(({ message }) => message).join("\n"));
  return path.join(folder, "dist", name);
}

for (const from of ["rijn", "rijn/inline"]) {
  for (const mode of ["production", "development"]) {
    add(`webpack, web, ${mode}, ${from}`, async (folder) => {
      const entry = await source(folder, "entry.js", { from });
      await webpack(folder, entry, { target: "web", mode });
      await pageOf(folder, "iife");
      return served(path.join(folder, "dist"));
    });
  }
  for (const [verb, format, file] of [
    ["import", "esm", "entry.mjs"],
    ["require", "cjs", "entry.cjs"],
  ]) {
    add(`webpack, web, ${verb}, ${from}`, async (folder) => {
      const entry = await source(folder, file, { from, format });
      await webpack(folder, entry, { target: "web" });
      await pageOf(folder, "iife");
      return served(path.join(folder, "dist"));
    });
    add(`webpack, node, ${verb}, ${from}`, async (folder) => {
      const entry = await source(folder, file, { from, format, where: "program" });
      return inNode(await webpack(folder, entry, { target: "node", name: "app.cjs" }));
    });
  }
  add(`webpack, worker, ${from}`, async (folder) => {
    await source(folder, "worker.js", { from, where: "worker" });
    const entry = path.join(folder, "entry.js");
    await writeFile(entry, ofWorker('new Worker(new URL("./worker.js", import.meta.url))'));
    await webpack(folder, entry, { target: "web" });
    await pageOf(folder, "iife");
    return served(path.join(folder, "dist"));
  });
}

// ---- All of them ----

await prepare();
// The bundlers need a newer Node than some systems have.
if (Number.parseInt(process.versions.node) < 24) {
  process.exit(spawnSync(nodeOf(24), process.argv.slice(1), { stdio: "inherit" }).status ?? 1);
}
for (const name of ["esbuild", "rollup", "webpack", "bun", "deno", ...VITES.map((v) => `vite${v}`)]) {
  console.log(`${name} ${await version(name)}`);
}
for (const one of NODES) console.log(`Node ${(await version(`node${one}`)).replace("v", "")}`);

/** Rejects if the work takes longer than a case may: a bundler that failed may never end. */
async function limited(work) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(reject, CASE, new Error(`no end after ${CASE / 1000} s`));
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

const chosen = [...cases].filter(([name]) => words.every((word) => name.includes(word)));
if (!chosen.length) throw new Error(`no case with ${words.join(" and ")} in its name`);
let failed = 0;
let stray = []; // errors that no caller of a bundler gets
process.on("unhandledRejection", (error) => stray.push(error));
for (const [index, [name, work]] of chosen.entries()) {
  const folder = path.join(apps, `case-${index}`);
  await mkdir(path.join(folder, "dist"), { recursive: true });
  let result;
  stray = [];
  try {
    result = await limited(work(folder));
    const shipped = await readdir(path.join(folder, "dist"), { recursive: true });
    if (name.includes("inline") && shipped.some((file) => file.endsWith(".wasm"))) {
      result = `failed: ${shipped} has a file that nobody needs`;
    }
  } catch (error) {
    result = `failed ${error.message ?? error}`;
  }
  if (result === EXPECTED) {
    console.log(`PASSED ${name}`);
  } else {
    failed++;
    console.log(`FAILED ${name}`);
    const said = [result, ...stray].join("\n").slice(0, 700);
    console.log(`    ${said.replaceAll("\n", "\n    ")}`);
  }
}
await chromium?.close();
console.log(`${chosen.length - failed} of ${chosen.length} work`);
process.exit(failed ? 1 : 0); // a bundler may still wait
