// The loader, copied to where nothing is, then with one thing after another beside it.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const { version } = require('../package.json') as { version: string };

let directory: string;
let load: () => unknown;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'argspan-load-'));
  mkdirSync(path.join(directory, 'native'));
  copyFileSync(path.join(root, 'package.json'), path.join(directory, 'package.json'));
  const loader = path.join(directory, 'native', 'load.cjs');
  copyFileSync(path.join(root, 'native', 'load.cjs'), loader);
  load = require(loader) as typeof load;
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function failure(): Error & { code?: unknown } {
  try {
    load();
  } catch (error) {
    return error as Error;
  }
  throw new Error('the addon was loaded');
}

/** The name of this platform, as the loader itself says it. */
function platform(): string {
  return /no working addon for (\S+) /.exec(failure().message)![1]!;
}

function localAddon(): string {
  return path.join(directory, 'native', `argspan.${platform()}.node`);
}

function writePackage(files: Readonly<Record<string, string>>): string {
  const at = path.join(directory, 'node_modules', `argspan-${platform()}`);
  mkdirSync(at, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(at, name), text);
  }
  return at;
}

const manifest = JSON.stringify({ version, main: 'addon.js' });

describe('loading the addon', () => {
  it('names the platform as the files of a build are named', () => {
    const name = platform();
    expect(name.startsWith(`${process.platform}-${process.arch}`)).toBe(true);
    if (process.platform === 'linux') {
      const { header } = process.report.getReport() as unknown as { header: object };
      expect(name.endsWith('glibcVersionRuntime' in header ? '-gnu' : '-musl')).toBe(true);
    }
  });

  it('fails with the platform, every path tried and the first cause where there is none', () => {
    const error = failure();
    expect(error.name).toBe('Error');
    expect(error.code).toBe('ARGSPAN_ADDON');
    expect(error.message).toContain(process.version);
    expect(error.message).toContain(`${localAddon()}: not found`);
    expect(error.message).toContain(`argspan-${platform()}: not found`);
    expect(error.cause).toMatchObject({ code: 'MODULE_NOT_FOUND' });
  });

  it('fails each time it is tried', () => {
    expect(failure().message).toBe(failure().message);
  });

  it('says why a local file that is there cannot be loaded, and tries nothing else', () => {
    const file = localAddon();
    writePackage({ 'package.json': manifest, 'addon.js': 'module.exports = "the package";' });
    writeFileSync(file, 'not a shared library');
    // Loading it by hand shows what the reason has to be.
    let reason: unknown;
    try {
      require(file);
    } catch (error) {
      reason = error;
    }
    const error = failure();
    expect(error.code).toBe('ARGSPAN_ADDON');
    expect(error.message).toContain(`${file}: ${(reason as Error).message}`);
    expect(error.message).not.toContain('not found');
    expect((error.cause as Error).message).toBe((reason as Error).message);
  });

  it('takes the package of the platform, once', () => {
    writePackage({ 'package.json': manifest, 'addon.js': 'module.exports = { from: "package" };' });
    const addon = load();
    expect(addon).toEqual({ from: 'package' });
    expect(load()).toBe(addon);
  });

  it('says why a package that is there cannot be loaded', () => {
    writePackage({ 'package.json': manifest, 'addon.js': 'throw new Error("refused by policy");' });
    const error = failure();
    expect(error.code).toBe('ARGSPAN_ADDON');
    expect(error.message).toContain(`argspan-${platform()}: refused by policy`);
    expect(error.cause).toMatchObject({ message: 'refused by policy' });
  });

  it('does not take a package without its addon for a missing one', () => {
    const at = writePackage({ 'package.json': manifest });
    const error = failure();
    expect(error.message).toContain(path.join(at, 'addon.js'));
  });

  it('refuses a package of another version', () => {
    writePackage({
      'package.json': JSON.stringify({ version: '0.0.1', main: 'addon.js' }),
      'addon.js': 'module.exports = {};',
    });
    expect(failure().message).toContain(`it is version 0.0.1, and argspan is ${version}`);
  });
});
