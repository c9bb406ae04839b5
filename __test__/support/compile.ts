// The library as plain JavaScript, for processes and threads of their own: they load no TypeScript.

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { transformWithOxc } from 'vite';

import { root } from './fixtures.js';

export interface Compiled {
  /** The URL of the entry point. */
  readonly url: string;
  remove(): void;
}

/** Compiles the sources as they are now, which `dist` need not be. */
export async function compile(): Promise<Compiled> {
  const directory = mkdtempSync(path.join(tmpdir(), 'argspan-source-'));
  const source = path.join(root, 'src');
  mkdirSync(path.join(directory, 'src'));
  mkdirSync(path.join(directory, 'native'));
  writeFileSync(path.join(directory, 'package.json'), '{ "type": "module" }');
  const loader = JSON.stringify(path.join(root, 'native', 'load.cjs'));
  writeFileSync(
    path.join(directory, 'native', 'load.cjs'),
    `module.exports = require(${loader});\n`,
  );
  for (const file of readdirSync(source).filter((name) => name.endsWith('.ts'))) {
    const { code } = await transformWithOxc(readFileSync(path.join(source, file), 'utf8'), file, {
      target: 'es2023',
    });
    writeFileSync(path.join(directory, 'src', `${path.basename(file, '.ts')}.js`), code);
  }
  return {
    url: pathToFileURL(path.join(directory, 'src', 'index.js')).href,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
