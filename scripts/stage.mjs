// Lays out the npm packages as they are published: `argspan` itself, which names the packages
// of all platforms as optional dependencies, and one package for each addon that was built.
//
//   node scripts/stage.mjs [--addons DIR] [--out DIR] [--repository URL] [--all]
//
// With --all a missing addon is an error, as it must be for a release.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { packageJson, platforms } from './platforms.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The script that npm is, to be run by this very Node on every platform. */
function npmCli() {
  const given = process.env['npm_execpath'];
  if (given !== undefined && path.basename(given) === 'npm-cli.js') {
    return given;
  }
  const besides = path.join(path.dirname(process.execPath), 'node_modules', 'npm', 'bin');
  const candidates = [path.join(besides, 'npm-cli.js')];
  for (const directory of (process.env['PATH'] ?? '').split(path.delimiter)) {
    candidates.push(path.join(directory, 'npm'));
  }
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) {
    throw new Error('npm was not found beside Node or in PATH.');
  }
  return realpathSync(found);
}

/** What `npm pack` would pack, as paths from the root. */
function packedFiles() {
  const args = [npmCli(), 'pack', '--dry-run', '--json', '--ignore-scripts'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    throw new Error(`npm pack ended with status ${status}:\n${stderr}`);
  }
  return Object.values(JSON.parse(stdout))[0].files.map((file) => file.path);
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function emptied(directory) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}

function stageMain(out, repository) {
  const directory = emptied(path.join(out, packageJson.name));
  for (const file of packedFiles()) {
    const destination = path.join(directory, file);
    mkdirSync(path.dirname(destination), { recursive: true });
    copyFileSync(path.join(root, file), destination);
  }
  const { version } = packageJson;
  const optionalDependencies = Object.fromEntries(
    // An addon of another version would not fit, so the version is exact.
    platforms.map(({ packageName }) => [packageName, version]),
  );
  writeJson(path.join(directory, 'package.json'), {
    ...packageJson,
    ...repository,
    optionalDependencies,
  });
}

function stagePlatform(platform, addons, out, repository) {
  const { addon, cpu, libc, name, os, packageName, target } = platform;
  const directory = emptied(path.join(out, packageName));
  copyFileSync(path.join(addons, addon), path.join(directory, addon));
  copyFileSync(path.join(root, 'LICENSE'), path.join(directory, 'LICENSE'));
  writeFileSync(
    path.join(directory, 'README.md'),
    `# ${packageName}\n\nThe addon of \`${packageJson.name}\` for ${name} (${target}). ` +
      `Install \`${packageJson.name}\`, which brings it.\n`,
  );
  const { author, engines, license, version } = packageJson;
  writeJson(path.join(directory, 'package.json'), {
    name: packageName,
    version,
    description: `The addon of ${packageJson.name} for ${name}.`,
    license,
    author,
    ...repository,
    main: addon,
    files: [addon],
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? {} : { libc: [libc] }),
    // npm skips an optional dependency whose engines do not match, without a word.
    engines,
  });
}

const { values } = parseArgs({
  options: {
    addons: { type: 'string', default: path.join(root, 'native') },
    all: { type: 'boolean', default: false },
    out: { type: 'string', default: path.join(root, 'npm') },
    repository: { type: 'string' },
  },
});
const built = platforms.filter(({ addon }) => existsSync(path.join(values.addons, addon)));
if (built.length === 0 || (values.all && built.length < platforms.length)) {
  const missing = platforms.filter((platform) => !built.includes(platform));
  const names = missing.map(({ addon }) => addon).join(', ');
  process.stderr.write(`${values.addons} has no ${names}: build the addons first.\n`);
  process.exitCode = 1;
} else {
  const repository =
    values.repository === undefined
      ? {}
      : { repository: { type: 'git', url: `git+${values.repository}.git` } };
  stageMain(values.out, repository);
  for (const platform of built) {
    stagePlatform(platform, values.addons, values.out, repository);
  }
}
