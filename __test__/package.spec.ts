// Packs argspan as a release does, installs the tarballs offline into a fresh project, and
// uses it there from everything that users load it from. Neither cargo nor anything else but
// Node is in PATH. It needs a build: `npm test` makes one, `npm run build` does too.

import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = readJson(path.join(root, 'package.json')) as { version: string };
const msPerCommand = 60_000;
const msPerTest = 120_000;

let temporary: string;
/** A project with the package and the addon of this platform. */
let project: string;
/** A project with the package alone, as on a platform without an addon. */
let bare: string;
let environment: NodeJS.ProcessEnv;

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function write(directory: string, file: string, text: string): string {
  const destination = path.join(directory, file);
  mkdirSync(path.dirname(destination), { recursive: true });
  writeFileSync(destination, text);
  return destination;
}

/** Only Node, `sh` and `env`, however full the machine's PATH is. */
function environmentWithoutRust(): NodeJS.ProcessEnv {
  const bin = path.join(temporary, 'bin');
  mkdirSync(bin);
  if (process.platform === 'win32') {
    const drop = (directory: string) => !existsSync(path.join(directory, 'cargo.exe'));
    const directories = (process.env['PATH'] ?? '').split(path.delimiter).filter(drop);
    return { ...process.env, PATH: directories.join(path.delimiter) };
  }
  symlinkSync(process.execPath, path.join(bin, 'node'));
  symlinkSync('/bin/sh', path.join(bin, 'sh'));
  // An empty cache: what is installed comes from the tarballs or not at all.
  return {
    HOME: temporary,
    PATH: bin,
    TMPDIR: temporary,
    npm_config_audit: 'false',
    npm_config_cache: path.join(temporary, 'npm-cache'),
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_execpath: npmCli(),
  };
}

function npmCli(): string {
  const given = process.env['npm_execpath'];
  if (given !== undefined && path.basename(given) === 'npm-cli.js') {
    return given;
  }
  const directories = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = directories.map((at) => path.join(at, 'npm')).find((at) => existsSync(at));
  return realpathSync(found ?? 'npm');
}

/** How the name of this platform's package begins. */
function addonOfHost(): string {
  const { header } = process.report.getReport() as unknown as { header: object };
  const libc = 'glibcVersionRuntime' in header ? '-gnu' : '-musl';
  const host = `${process.platform}-${process.arch}`;
  return `argspan-${host}${process.platform === 'linux' ? libc : ''}`;
}

/** Runs a script with Node and resolves to what it printed; a failing one is thrown. */
async function node(cwd: string, ...args: string[]): Promise<string> {
  const options = { cwd, env: environment, timeout: msPerCommand, maxBuffer: 16 * 1024 * 1024 };
  const { stdout, stderr } = await run(process.execPath, args, options);
  return stdout + stderr;
}

async function nodeFails(cwd: string, ...args: string[]): Promise<string> {
  try {
    await node(cwd, ...args);
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr;
  }
  throw new Error(`node ${args.join(' ')} was expected to fail`);
}

/** Packs what the package depends on, as it is installed here. */
async function packDependencies(destination: string): Promise<string[]> {
  mkdirSync(destination);
  const waiting = [root];
  const folders = new Set<string>();
  for (const folder of waiting) {
    const { dependencies = {} } = readJson(path.join(folder, 'package.json')) as {
      dependencies?: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) {
      const dependency = path.join(root, 'node_modules', name);
      if (!folders.has(dependency)) {
        folders.add(dependency);
        waiting.push(dependency);
      }
    }
  }
  const to = ['--ignore-scripts', '--pack-destination', destination];
  await node(destination, npmCli(), 'pack', ...to, ...folders);
  return readdirSync(destination).map((name) => path.join(destination, name));
}

async function createProject(name: string, tarballs: readonly string[]): Promise<string> {
  const directory = path.join(temporary, name);
  write(directory, 'package.json', JSON.stringify({ name, version: '1.0.0', private: true }));
  await node(directory, npmCli(), 'install', '--offline', '--ignore-scripts', ...tarballs);
  return directory;
}

/** What each way of loading has to do: one object accepted, one cut text reported. */
const body = `
  const accepted = parseToolArguments('add', '{"a":1,"b":[2]}');
  const reported = parseToolArguments('add', '{"a":1,');
  const scanner = createScanner();
  scanner.feed('{"a":');
  scanner.feed(new TextEncoder().encode('1}'));
  const answer = [
    accepted.status,
    JSON.stringify(accepted.value),
    reported.status,
    reported.kind,
    scanner.verdict,
    parse('{"c":3}').c,
    check('[1]').kind,
  ].join(' ');
`;
const names = '{ check, createScanner, parse, parseToolArguments }';
const expected = 'accepted {"a":1,"b":[2]} reported truncated complete 3 not-object';

beforeAll(async () => {
  temporary = realpathSync(mkdtempSync(path.join(tmpdir(), 'argspan-package-')));
  environment = environmentWithoutRust();
  const staged = path.join(temporary, 'staged');
  const packed = path.join(temporary, 'packed');
  mkdirSync(packed);
  await node(root, path.join(root, 'scripts', 'stage.mjs'), '--out', staged);
  const packages = readdirSync(staged);
  for (const name of packages) {
    await node(staged, npmCli(), 'pack', `./${name}`, '--pack-destination', packed);
  }
  const main = path.join(packed, `argspan-${version}.tgz`);
  const tarballs = readdirSync(packed).map((name) => path.join(packed, name));
  // An addon may lie there for other platforms as well; npm would refuse those.
  const addons = tarballs.filter((tarball) => path.basename(tarball).startsWith(addonOfHost()));
  expect(addons).not.toEqual([]);
  const dependencies = await packDependencies(path.join(temporary, 'dependencies'));
  project = await createProject('project', [main, ...addons, ...dependencies]);
  bare = await createProject('bare', [main, ...dependencies]);
}, 3 * msPerTest);

afterAll(() => {
  rmSync(temporary, { recursive: true, force: true });
});

describe('the packed files', () => {
  const installed = () => path.join(project, 'node_modules', 'argspan');

  it('hold what a user needs and nothing else', () => {
    const files = readdirSync(installed(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => path.relative(installed(), file).replaceAll('\\', '/'));
    const needed = [
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist-cjs/index.d.ts',
      'dist-cjs/index.js',
      'dist-cjs/package.json',
      'dist/cli/main.js',
      'dist/index.d.ts',
      'dist/index.js',
      'native/load.cjs',
      'native/load.d.cts',
      'package.json',
    ];
    expect(files).toEqual(expect.arrayContaining(needed));
    expect(files.filter((file) => /\.(?:node|rs|toml|spec\.\w+)$|^src\//.test(file))).toEqual([]);
    const sizes = files.map((file) => statSync(path.join(installed(), file)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_200_000);
  });

  it('bring only what the gate needs and run nothing when installed', () => {
    const manifest = readJson(path.join(installed(), 'package.json')) as Record<string, object>;
    expect(Object.keys(manifest['dependencies'] ?? {}).sort()).toEqual([
      '@pinojs/redact',
      '@standard-schema/spec',
      'ajv',
    ]);
    expect(Object.keys(manifest['peerDependencies'] ?? {})).toEqual(['ai']);
    expect(manifest['peerDependenciesMeta']).toEqual({ ai: { optional: true } });
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish', 'prepack'];
    expect(Object.keys(manifest['scripts'] ?? {}).filter((key) => hooks.includes(key))).toEqual([]);
    const optional = Object.entries(manifest['optionalDependencies'] ?? {});
    expect(optional).toHaveLength(8);
    expect(new Set(optional.map(([, wanted]) => wanted))).toEqual(new Set([version]));
  });

  it('give every platform package the engines of the main one', () => {
    const modules = path.join(project, 'node_modules');
    const addon = readdirSync(modules).find((name) => name.startsWith('argspan-'));
    const main = readJson(path.join(installed(), 'package.json')) as Record<string, unknown>;
    const platform = readJson(path.join(modules, addon!, 'package.json')) as typeof main;
    expect(platform['engines']).toEqual(main['engines']);
    expect(platform['os']).toEqual([process.platform]);
    expect(platform['cpu']).toEqual([process.arch]);
  });
});

describe('the installed package', () => {
  it(
    'is imported as ESM',
    async () => {
      const text = `import ${names} from 'argspan';${body}console.log(answer);`;
      write(project, 'esm.mjs', text);
      expect((await node(project, 'esm.mjs')).trim()).toBe(expected);
    },
    msPerTest,
  );

  it(
    'is required as CommonJS',
    async () => {
      const text = `const ${names} = require('argspan');${body}console.log(answer);`;
      write(project, 'cjs.cjs', text);
      expect((await node(project, 'cjs.cjs')).trim()).toBe(expected);
    },
    msPerTest,
  );

  it(
    'is the built folder too, where a project beside it installs that',
    async () => {
      const beside = await createProject('beside', [root]);
      write(beside, 'cjs.cjs', `const ${names} = require('argspan');${body}console.log(answer);`);
      expect((await node(beside, 'cjs.cjs')).trim()).toBe(expected);
    },
    msPerTest,
  );

  it(
    'has argspan/wire, for ESM and for CommonJS',
    async () => {
      const wireBody = `
        const event = { choices: [{ delta: { function_call: { name: 'f', arguments: '{}' } }, finish_reason: 'stop' }] };
        const [call] = toolCallsFromBody('openai-chat', event);
        console.log(call.name, call.finished, call.outcome.status);`;
      write(project, 'wire.mjs', `import { toolCallsFromBody } from 'argspan/wire';${wireBody}`);
      write(
        project,
        'wire.cjs',
        `const { toolCallsFromBody } = require('argspan/wire');${wireBody}`,
      );
      for (const file of ['wire.mjs', 'wire.cjs']) {
        expect((await node(project, file)).trim()).toBe('f true accepted');
      }
    },
    msPerTest,
  );

  it(
    'has argspan/gate, for ESM and for CommonJS',
    async () => {
      const gateBody = `
        const gate = createGate([{ name: 'f', parameters: { type: 'object', required: ['a'] } }]);
        const of = (text) => gate.decide({ id: '1', name: 'f', arguments: text });
        console.log(of('{"a":1}').action, of('{}').kind);`;
      write(project, 'gate.mjs', `import { createGate } from 'argspan/gate';${gateBody}`);
      write(project, 'gate.cjs', `const { createGate } = require('argspan/gate');${gateBody}`);
      for (const file of ['gate.mjs', 'gate.cjs']) {
        expect((await node(project, file)).trim()).toBe('run schema');
      }
    },
    msPerTest,
  );

  it(
    'has argspan/ai-sdk, for ESM and for CommonJS, where no AI SDK is installed',
    async () => {
      const sdkBody = `
        const toolCall = { toolName: 'f', input: 'Sure: {"a":1}' };
        const error = Object.assign(new Error(), { name: 'AI_InvalidToolInputError' });
        const inputSchema = async () => ({});
        repairToolCall({ toolCall, tools: {}, inputSchema, error }).then(({ input }) => {
          const loaded = typeof require === 'undefined' ? [] : Object.keys(require.cache);
          console.log(input, loaded.some((file) => file.includes('ajv')));
        });`;
      write(project, 'sdk.mjs', `import { repairToolCall } from 'argspan/ai-sdk';${sdkBody}`);
      write(project, 'sdk.cjs', `const { repairToolCall } = require('argspan/ai-sdk');${sdkBody}`);
      expect(existsSync(path.join(project, 'node_modules', 'ai'))).toBe(false);
      for (const file of ['sdk.mjs', 'sdk.cjs']) {
        expect((await node(project, file)).trim()).toBe('{"a":1} false');
      }
    },
    msPerTest,
  );

  it(
    'is both at once in one process',
    async () => {
      const text = `
        import { createRequire } from 'node:module';
        import * as esm from 'argspan';
        const cjs = createRequire(import.meta.url)('argspan');
        const same = Object.keys(esm).sort().join() === Object.keys(cjs).sort().join();
        for (const ${names} of [esm, cjs]) {${body}console.log(same, answer);}`;
      write(project, 'both.mjs', text);
      const lines = (await node(project, 'both.mjs')).trim().split('\n');
      expect(lines).toEqual([`true ${expected}`, `true ${expected}`]);
    },
    msPerTest,
  );

  it(
    'runs in worker threads beside the main thread',
    async () => {
      const text = `
        import { Worker, isMainThread, parentPort } from 'node:worker_threads';
        import ${names} from 'argspan';
        ${body}
        if (isMainThread) {
          const answers = [0, 1].map(() => new Promise((resolve, reject) => {
            const worker = new Worker(new URL(import.meta.url));
            worker.on('message', resolve).on('error', reject);
          }));
          console.log([answer, ...(await Promise.all(answers))].join('\\n'));
        } else {
          parentPort.postMessage(answer);
        }`;
      write(project, 'worker.mjs', text);
      const lines = (await node(project, 'worker.mjs')).trim().split('\n');
      expect(lines).toEqual([expected, expected, expected]);
    },
    msPerTest,
  );

  it(
    'has a command that says its version',
    async () => {
      const command = path.join(project, 'node_modules', '.bin', 'argspan');
      const { stdout } = await run(command, ['--version'], {
        cwd: project,
        env: environment,
        timeout: msPerCommand,
        shell: process.platform === 'win32',
      });
      expect(stdout.trim()).toBe(version);
    },
    msPerTest,
  );

  it(
    'has types for ESM and for CommonJS',
    async () => {
      const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const use = `
        const outcome: argspan.Outcome = argspan.parseToolArguments('add', '{}');
        export const kind: string = outcome.status === 'reported' ? outcome.kind : outcome.text;
        // @ts-expect-error -- a name is a string
        argspan.parseToolArguments(1, '{}');`;
      write(project, 'types/esm.mts', `import * as argspan from 'argspan';${use}`);
      write(project, 'types/cjs.cts', `import argspan = require('argspan');${use}`);
      const compilerOptions = {
        lib: ['es2023', 'dom'],
        module: 'nodenext',
        noEmit: true,
        strict: true,
        types: [],
      };
      const config = { compilerOptions, files: ['esm.mts', 'cjs.cts'] };
      write(project, 'types/tsconfig.json', JSON.stringify(config));
      expect(await node(project, tsc, '-p', 'types')).toBe('');
    },
    msPerTest,
  );

  /** One test that must pass, and one that must not: a runner that runs nothing is found out. */
  const suite = (load: string) => `${load}
    test('decides', () => {${body}expect(answer).toBe(${JSON.stringify(expected)});});
    test('takes objects of this realm', () => {
      expect(parseToolArguments('add', { a: 1 }).status).toBe('accepted');
    });`;
  const failing = `test('fails', () => {expect(1).toBe(2);});`;

  it(
    'runs in vitest',
    async () => {
      const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
      write(project, 'vitest/use.test.mjs', suite(`import ${names} from 'argspan';`));
      write(project, 'vitest/fail.test.mjs', failing);
      const args = [vitest, 'run', '--globals', '--root', path.join(project, 'vitest')];
      args.push('--reporter=verbose', '--no-color');
      expect(await node(project, ...args, 'use.test')).toMatch(/Tests\s+2 passed \(2\)/);
      expect(await nodeFails(project, ...args)).toMatch(/Tests\s+1 failed \| 2 passed \(3\)/);
    },
    msPerTest,
  );

  it(
    'runs in Jest',
    async () => {
      const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
      write(project, 'jest/use.test.cjs', suite(`const ${names} = require('argspan');`));
      write(project, 'jest/fail.test.cjs', failing);
      const config = {
        cacheDirectory: path.join(temporary, 'jest-cache'),
        testEnvironment: path.join(root, 'node_modules', 'jest-environment-node'),
        testMatch: ['**/*.test.cjs'],
        transform: {},
      };
      write(project, 'jest/jest.config.json', JSON.stringify(config));
      const args = [jest, '--ci', '--runInBand', '--no-watchman'];
      args.push('--config', path.join(project, 'jest', 'jest.config.json'));
      expect(await node(project, ...args, 'use.test')).toMatch(/Tests:\s+2 passed, 2 total/);
      expect(await nodeFails(project, ...args)).toMatch(/Tests:\s+1 failed, 2 passed, 3 total/);
    },
    msPerTest,
  );
});

describe('without an addon for the platform', () => {
  const text = `
    import('argspan').then(
      () => console.log('loaded'),
      (error) => console.log(JSON.stringify({ code: error.code, message: error.message })),
    );`;

  it(
    'loading is one error that names the platform and the paths tried',
    async () => {
      write(bare, 'load.mjs', text);
      const error = JSON.parse(await node(bare, 'load.mjs')) as Record<string, string>;
      expect(error['code']).toBe('ARGSPAN_ADDON');
      const name = `${process.platform}-${process.arch}`;
      expect(error['message']).toContain(`no working addon for ${name}`);
      expect(error['message']).toContain(path.join(bare, 'node_modules', 'argspan', 'native'));
      expect(error['message']).toContain(`argspan-${name}`);
    },
    msPerTest,
  );
});
