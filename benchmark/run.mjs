// Starts the benchmark: installs the rivals where they are missing, then runs main.ts, or with
// --render or --callgrind the script of that name.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const scripts = ['--render', '--callgrind'];

function run(command, args, options) {
  const { error, status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (error !== undefined) {
    throw error;
  }
  return status ?? 1;
}

/** npm writes this file last, so a broken installation is done again. */
function isInstalled() {
  return existsSync(path.join(here, 'node_modules', '.package-lock.json'));
}

function install() {
  process.stderr.write('Installing what argspan is compared with …\n');
  // Some of them ask for a newer Node and run on this one; none needs its install script.
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false'];
  return run('npm', ['ci', '--loglevel=error', ...flags], {
    cwd: here,
    shell: process.platform === 'win32',
  });
}

function main(args) {
  if (!isInstalled() && install() !== 0) {
    process.stderr.write('The benchmark needs its rivals: `npm ci` in benchmark/ did not work.\n');
    return 1;
  }
  if (!existsSync(path.join(here, '..', 'dist', 'index.js'))) {
    process.stderr.write('There is nothing to measure yet: run `npm run build` first.\n');
    return 1;
  }
  const asked = scripts.find((script) => args.includes(script));
  const file = `${asked?.slice(2) ?? 'main'}.ts`;
  const rest = args.filter((arg) => arg !== asked);
  // npm runs this in benchmark/; a path in the arguments means where the user stands.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const loader = new URL('node_modules/tsx/dist/loader.mjs', import.meta.url).href;
  const flags = ['--expose-gc', '--import', loader];
  return run(process.execPath, [...flags, path.join(here, file), ...rest], { cwd });
}

process.exitCode = main(process.argv.slice(2));
