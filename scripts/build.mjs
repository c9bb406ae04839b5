// Builds argspan: the addon with cargo, then the two copies of the TypeScript half.
//
//   node scripts/build.mjs [--native | --ts] [--target TRIPLE]
//
// Where a tool is missing it ends with one sentence that says which, and status 1.

import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { platformOf } from './platforms.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const rustMin = '1.88';
const fromSource =
  `building argspan from source takes Rust ${rustMin} or newer and a C linker ` +
  '(users of the published package need neither: `npm install argspan` brings a prebuilt addon)';

/** An end that needs no stack trace: the message is all there is to say. */
class BuildError extends Error {}

async function main() {
  const { values } = parseArgs({
    options: {
      native: { type: 'boolean', default: false },
      target: { type: 'string' },
      ts: { type: 'boolean', default: false },
    },
  });
  const both = values.native === values.ts;
  if (both || values.native) {
    await buildAddon(values.target);
  }
  if (both || values.ts) {
    await buildTypeScript();
  }
}

// ---- the addon

async function buildAddon(target) {
  checkCargo();
  const triple = target ?? hostTriple();
  const platform = platformOf(triple);
  if (platform === null) {
    throw new BuildError(`argspan has no name for an addon built for ${triple}.`);
  }
  const library = await cargoBuild(target, triple);
  const built = readFileSync(library);
  const destination = path.join(root, 'native', platform.addon);
  if (existsSync(destination) && readFileSync(destination).equals(built)) {
    return;
  }
  // Never written in place: a process that has the old file mapped would crash.
  const staged = `${destination}.${process.pid}`;
  copyFileSync(library, staged);
  renameSync(staged, destination);
}

function checkCargo() {
  const { error, status, stdout, stderr } = spawnSync('cargo', ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, RUSTUP_AUTO_INSTALL: '0' },
  });
  if (error !== undefined) {
    const what =
      error.code === 'ENOENT' ? 'was not found in PATH' : `does not start (${error.code})`;
    throw new BuildError(`\`cargo\` ${what}: ${fromSource}; see https://rustup.rs.`);
  }
  const version = /^cargo (\d+)\.(\d+)\.\d+/.exec(stdout);
  if (status !== 0 || version === null) {
    const said = (stderr || stdout).trim().split('\n', 1)[0];
    throw new BuildError(
      `\`cargo --version\` fails (${said}): ${fromSource}; see https://rustup.rs.`,
    );
  }
  const [major, minor] = rustMin.split('.').map(Number);
  const found = [Number(version[1]), Number(version[2])];
  if (found[0] < major || (found[0] === major && found[1] < minor)) {
    throw new BuildError(
      `\`cargo\` is ${version[0].slice('cargo '.length)}, which is too old: ${fromSource}; ` +
        '`rustup update stable` brings the newest.',
    );
  }
}

function hostTriple() {
  const { stdout } = spawnSync('rustc', ['-vV'], { encoding: 'utf8' });
  const host = /^host: (\S+)$/m.exec(stdout ?? '')?.[1];
  if (host === undefined) {
    throw new BuildError(
      `\`cargo\` is there but \`rustc\` does not run: ${fromSource}; see https://rustup.rs.`,
    );
  }
  return process.env['CARGO_BUILD_TARGET'] ?? host;
}

/** A shared library for musl can only be built against the shared libc. */
const noStaticLibc = ['-C target-feature=-crt-static'];
/** Node brings no C runtime for addons on Windows, and a clean machine has none. */
const staticCrt = ['-C target-feature=+crt-static'];

/** Runs cargo and resolves to the path of the shared library that it built. */
async function cargoBuild(target, triple) {
  const args = ['build', '--release', '--package', 'argspan-node'];
  args.push('--manifest-path', path.join(root, 'native', 'Cargo.toml'));
  args.push('--message-format', 'json-render-diagnostics');
  args.push('--color', process.stderr.isTTY ? 'always' : 'never');
  if (target !== undefined) {
    args.push('--target', target);
  }
  if (process.env['CI']) {
    args.push('--locked');
  }
  const env = { ...process.env };
  const flags = triple.endsWith('-musl') ? noStaticLibc : triple.endsWith('-msvc') ? staticCrt : [];
  if (flags.length > 0) {
    env['RUSTFLAGS'] = [env['RUSTFLAGS'], ...flags].filter(Boolean).join(' ');
  }
  const cargo = spawn('cargo', args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });

  let library = null;
  createInterface({ input: cargo.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) {
      return;
    }
    const message = JSON.parse(line);
    const mine = message.reason === 'compiler-artifact' && message.target.name === 'argspan_node';
    library =
      (mine && message.filenames.find((name) => /\.(?:so|dylib|dll)$/.test(name))) || library;
  });

  // Progress goes through as it comes. From the first error on lines are held back: should
  // the linker be what is missing, one sentence says more than they do.
  const held = [];
  createInterface({ input: cargo.stderr }).on('line', (line) => {
    // eslint-disable-next-line no-control-regex -- cargo colours its words on a terminal.
    const plain = line.replace(/\u001B\[[\d;]*m/g, '');
    if (held.length > 0 || /^error\b/.test(plain)) {
      held.push({ line, plain });
    } else {
      process.stderr.write(`${line}\n`);
    }
  });

  const code = await new Promise((resolve, reject) => {
    cargo.on('error', reject);
    cargo.on('close', resolve);
  });
  if (code === 0 && library !== null) {
    return library;
  }
  const linker = held.map(({ plain }) => /linker `([^`]+)` not found/.exec(plain)).find(Boolean);
  if (linker !== undefined) {
    throw new BuildError(
      `The C linker \`${linker[1]}\` was not found: ${fromSource}; ` +
        'it comes with gcc or clang, with the Xcode command line tools, or with the Visual Studio build tools.',
    );
  }
  for (const { line } of held) {
    process.stderr.write(`${line}\n`);
  }
  throw new BuildError(
    code === 0
      ? 'cargo built no shared library for argspan-node.'
      : 'cargo could not build the addon; its own words stand above.',
  );
}

// ---- the TypeScript half

async function buildTypeScript() {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(tsc)) {
    throw new BuildError('TypeScript is not installed here: run `npm install` first.');
  }
  const [esm, cjs] = await Promise.all([
    runTsc(tsc, 'tsconfig.build.json'),
    runTsc(tsc, 'tsconfig.cjs.json'),
  ]);
  // Both copies come from the same sources, so both usually say the same.
  const failed = esm.code === 0 ? cjs : esm;
  if (failed.code !== 0) {
    process.stderr.write(failed.output);
    throw new BuildError('tsc could not build the TypeScript half; its own words stand above.');
  }
  dropStale('dist');
  dropStale('dist-cjs');
  // Without it Node would read the files as the package's own type, which is ESM.
  mkdirSync(path.join(root, 'dist-cjs'), { recursive: true });
  writeFileSync(path.join(root, 'dist-cjs', 'package.json'), '{ "type": "commonjs" }\n');
}

async function runTsc(tsc, project) {
  const child = spawn(process.execPath, [tsc, '-p', project], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, output: Buffer.concat(chunks).toString() };
}

/** Removes what was built from sources that are gone, or it would be packed for ever. */
function dropStale(outDir) {
  const directory = path.join(root, outDir);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const match = /^(.+?)(?:\.d\.ts|\.js)$/.exec(entry.name);
    if (!entry.isFile() || match === null) {
      continue;
    }
    const parent = path.relative(directory, entry.parentPath);
    if (!existsSync(path.join(root, 'src', parent, `${match[1]}.ts`))) {
      rmSync(path.join(entry.parentPath, entry.name));
    }
  }
}

try {
  await main();
} catch (error) {
  const expected = error instanceof BuildError || String(error?.code).startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`${expected ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
