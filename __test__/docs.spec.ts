// Every example in the doc comments and in README.md runs, and says the truth in its comments.
// `support/examples.ts` tells which comments assert.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import * as aiSdk from '../src/ai-sdk/index.js';
import * as gate from '../src/gate/index.js';
import * as argspan from '../src/index.js';
import * as wire from '../src/wire/index.js';
import { examplesInMarkdown, examplesInSource, prepare, run } from './support/examples.js';
import { root } from './support/fixtures.js';

const sources = ['src', 'src/wire', 'src/gate', 'src/lint', 'src/ai-sdk'].flatMap((folder) =>
  readdirSync(path.join(root, folder))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.posix.join(folder, file)),
);

describe('doc comments', () => {
  const examples = sources.flatMap((file) => examplesInSource(file));

  it.each(examples.map((example) => [example.at, example] as const))('%s', async (_, example) => {
    expect(example.foreign).toEqual([]);
    expect(await run(example), 'an example that shows no result').toBeGreaterThan(0);
  });

  it('every exported function has an example', () => {
    const functions = Object.entries({ ...argspan, ...wire, ...gate, ...aiSdk })
      .filter(([name, value]) => typeof value === 'function' && !name.endsWith('Error'))
      .map(([name]) => name);
    const shown = examples.map(({ code }) => code).join('\n');
    for (const name of functions) {
      expect(shown).toContain(`${name}(`);
    }
  });

  it('no `@example` is lost', () => {
    const tags = sources.flatMap((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .filter((line) => /^\s*\* @example\b/.test(line)),
    );
    expect(tags.length).toBeGreaterThan(3);
    expect(examples.length).toBeGreaterThanOrEqual(tags.length);
  });
});

const readme = 'README.md';
const hasReadme = existsSync(path.join(root, readme));

describe.skipIf(!hasReadme)(`README.md${hasReadme ? '' : ' (skipped: it is absent)'}`, () => {
  const examples = hasReadme ? examplesInMarkdown(readme) : [];

  it('shows examples', () => {
    expect(examples.length).toBeGreaterThan(0);
  });

  const runnable = examples.filter(({ foreign }) => foreign.length === 0);
  it.each(runnable.map((example) => [example.at, example] as const))('%s', async (_, example) => {
    await run(example);
  });

  it('shows the message that its example prints', () => {
    const text = readFileSync(path.join(root, readme), 'utf8');
    const shown = /^console\.log\(cut\b.*?^```text\n(.*?)\n```$/ms.exec(text)?.[1];
    const cut = argspan.parseToolArguments('read', '{"path": "src/main.rs');
    expect(text).toContain(`parseToolArguments('read', '{"path": "src/main.rs')`);
    expect(cut).toMatchObject({ message: shown });
  });

  it('is at most 320 lines long', () => {
    const lines = readFileSync(path.join(root, readme), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(320);
  });

  it('has the seven guarantees, with the numbers that stand in the titles of their tests', () => {
    const text = readFileSync(path.join(root, readme), 'utf8');
    const section = /^## Guarantees$(.*?)^## /ms.exec(text)?.[1] ?? '';
    const names = [...section.matchAll(/^(\d)\. \*\*(.+?)\.\*\*/gm)];
    expect(names.map((match) => Number(match[1]))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const tests = readFileSync(path.join(root, '__test__', 'guarantees.spec.ts'), 'utf8');
    for (const [, number, name] of names) {
      expect(tests).toContain(`describe('guarantee ${number}, ${name!.toLowerCase()}`);
    }
  });

  it('most of its examples can be run here, and assert something', async () => {
    let assertions = 0;
    for (const { code } of runnable) {
      assertions += prepare(code).assertions.length;
    }
    expect(assertions).toBeGreaterThan(0);
    expect(runnable.length * 2).toBeGreaterThanOrEqual(examples.length);
  });
});

/** The pages under `docs/`; those of `examples.md` need servers, and run in `plugs/examples.spec.ts`. */
const pages = readdirSync(path.join(root, 'docs'))
  .filter((file) => file.endsWith('.md') && file !== 'examples.md')
  .map((file) => path.posix.join('docs', file));

describe.each(pages)('%s', (page) => {
  const examples = examplesInMarkdown(page);

  it.each(examples.map((example) => [example.at, example] as const))('%s', async (_, example) => {
    expect(example.foreign).toEqual([]);
    await run(example);
  });

  it('is linked from README.md or from a page that is', () => {
    const linking = [readme, ...pages].filter((file) => file !== page);
    const texts = linking.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n');
    expect(texts).toContain(path.basename(page));
  });
});

describe('links', () => {
  const files = [readme, 'CHANGELOG.md', 'SECURITY.md', 'benchmark/README.md', ...pages].concat(
    'docs/examples.md',
  );

  /** The anchors of a page, as GitHub makes them of its headings. */
  const anchorsOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
        .replaceAll(' ', '-'),
    );

  it.each(files.filter((file) => existsSync(path.join(root, file))))(
    'of %s lead somewhere',
    (file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) {
          continue;
        }
        const [name = '', anchor] = link.split('#');
        const target = name === '' ? file : path.join(path.dirname(file), name);
        expect(existsSync(path.join(root, target)), `${file}: ${link}`).toBe(true);
        if (anchor !== undefined) {
          expect(anchorsOf(path.join(root, target)), `${file}: ${link}`).toContain(anchor);
        }
      }
    },
  );
});

describe('the pages that are TypeScript', () => {
  /** What a reader would paste into a file of a strict project: each example alone. */
  async function compile(examples: readonly (readonly [at: string, code: string])[]) {
    const folder = mkdtempSync(path.join(root, '__test__', '.examples-'));
    try {
      const files = examples.map(([at, code]) => {
        const file = `${at.replaceAll(/\W/g, '_')}.ts`;
        writeFileSync(path.join(folder, file), `${code}\nexport {};\n`);
        return file;
      });
      const paths = Object.fromEntries(
        ['', '/wire', '/gate', '/ai-sdk'].map((entry) => [
          `argspan${entry}`,
          [path.join(root, 'src', entry, 'index.ts')],
        ]),
      );
      const project = {
        extends: '../plugs/tsconfig.json',
        compilerOptions: { paths, noPropertyAccessFromIndexSignature: false },
        files,
        include: [],
      };
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(project));
      const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const done = promisify(execFile)(process.execPath, [tsc, '-p', folder]);
      return await done.then(
        () => '',
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('compile in strict mode, as they stand', { timeout: 120_000 }, async () => {
    const typed = [readme, ...pages]
      .filter((file) => existsSync(path.join(root, file)))
      .flatMap((file) => examplesInMarkdown(file))
      .filter((example) => example.typed);
    expect(typed.length).toBeGreaterThan(10);
    expect(await compile(typed.map(({ at, code }) => [at, code]))).toBe('');
  });

  it('would not, were one wrong', { timeout: 120_000 }, async () => {
    const wrong = `import { check } from 'argspan';\ncheck('{}').nothing; // undefined`;
    expect(await compile([['wrong', wrong]])).toContain("'nothing' does not exist");
  });
});

describe('the comments of an example', () => {
  const example = (code: string) => ({ at: 'an example', code, typed: true, foreign: [] });

  it.each([
    ['a value', `check('{}').repair; // 'none'`],
    ['a declaration', `const { repair } = check('{}');\nconst one = repair; // 'none'`],
    ['a log', `console.log(check('{}').span); // { start: 0, end: 2 }`],
    ['a part of a value', `check('{}'); // { repair: 'none', … }`],
    ['a value of several lines', `check('{}').span; // {\n//   start: 0,\n//   end: 2,\n// }`],
    ['an error', `parse(undefined); // throws TypeError: text must be…`],
    ['an import', `import { check as look } from 'argspan';\nlook('{}').repair; // 'none'`],
    ['a require', `const { check } = require('argspan');\ncheck('{}').repair; // 'none'`],
    ['types', `const name: string = 'a' as const; // 'a'`],
    ['waiting', `const one = await Promise.resolve(1); // 1`],
    ['a branch', `if (true) {\n  check('{}').verdict; // 'complete'\n}`],
  ])('assert: %s', async (_, code) => {
    expect(await run(example(code))).toBe(1);
  });

  it.each([
    ['another value', `check('{}').repair; // 'prose'`],
    ['another part', `check('{}'); // { repair: 'prose', … }`],
    ['more than there is', `check('{}').span; // { start: 0 }`],
    ['no error', `parse('{}'); // throws TypeError`],
    ['another error', `parse(undefined); // throws RangeError`],
    ['another message', `parse(undefined); // throws TypeError: name must be`],
    ['a branch that is not reached', `if (false) {\n  check('{}').verdict; // 'complete'\n}`],
    ['half a value', `check('{}').span; // { start: 0,`],
    ['a name that is not there', `nothing; // 1`],
  ])('fail: %s', async (_, code) => {
    await expect(run(example(code))).rejects.toThrow();
  });

  it('are prose where they do not begin as a value does', async () => {
    expect(await run(example(`check('{}'); // is complete\nconst a = 1; // the first`))).toBe(0);
  });
});
