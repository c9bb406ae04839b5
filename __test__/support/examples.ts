// Finds the examples in documents, and runs them with their comments as assertions.
//
// A comment behind a statement is an assertion where it begins as a value does:
//
//   expression; // value
//   const name = expression; // value
//   console.log(expression); // value
//   expression; // throws TypeError: the beginning of its message
//
// `…` as the last member of an object or array in a value stands for more of them. A value goes on
// in the comment lines below until it is whole. Every other comment is prose.

import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

import { transformWithOxc } from 'vite';
import { expect } from 'vitest';

import * as aiSdk from '../../src/ai-sdk/index.js';
import * as gate from '../../src/gate/index.js';
import * as argspan from '../../src/index.js';
import * as wire from '../../src/wire/index.js';
import { root } from './fixtures.js';

export interface Example {
  /** The file and the line where it begins. */
  readonly at: string;
  readonly code: string;
  /** Whether it is TypeScript, and not JavaScript. */
  readonly typed: boolean;
  /** Packages that it imports and that are not here. */
  readonly foreign: readonly string[];
}

/** The `ts`, `js` and `typescript` blocks of a Markdown text. */
function blocksOf(text: string, file: string, firstLine: number): Example[] {
  const examples: Example[] = [];
  let block: { at: number; typed: boolean; lines: string[] } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    if (block === null) {
      const language = /^\s*```(ts|js|mjs|cjs|typescript|javascript)\s*$/.exec(line)?.[1];
      if (language !== undefined) {
        block = { at: firstLine + index, typed: language.startsWith('t'), lines: [] };
      }
    } else if (/^\s*```\s*$/.test(line)) {
      const code = block.lines.join('\n');
      const imported = [...code.matchAll(/(?:from|require\(|import\()\s*['"]([^'"]+)['"]/g)];
      const foreign = imported.map((match) => match[1]!).filter((name) => !isHere(name));
      examples.push({ at: `${file}:${block.at}`, code, typed: block.typed, foreign });
      block = null;
    } else {
      block.lines.push(line);
    }
  }
  return examples;
}

/** The package's entry points, as they are now. */
const entries: Readonly<Record<string, object>> = {
  argspan,
  'argspan/ai-sdk': aiSdk,
  'argspan/gate': gate,
  'argspan/wire': wire,
};

function isHere(name: string): boolean {
  return Object.hasOwn(entries, name) || isBuiltin(name);
}

export function examplesInMarkdown(file: string): Example[] {
  return blocksOf(readFileSync(path.join(root, file), 'utf8'), file, 1);
}

/** The examples in the doc comments of a source file. */
export function examplesInSource(file: string): Example[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/\/\*\*.*?\*\//gs)].flatMap((comment) => {
    const line = text.slice(0, comment.index).split('\n').length;
    return blocksOf(comment[0].replaceAll(/^\s*\* ?/gm, ''), file, line);
  });
}

/** One comment that asserts. */
type Assertion =
  | { readonly kind: 'value'; readonly value: unknown; readonly partial: boolean }
  | { readonly kind: 'throws'; readonly name: string; readonly message: string };

const statement = /^(\s*)(\S.*?);\s*\/\/\s?(.*)$/;
const valueStart = /^(?:[{['"`\d-]|true\b|false\b|null\b|undefined\b|Infinity\b|NaN\b)/;
const throwsComment = /^throws (\w+)(?:: (.*))?$/;

/** What is asserted, by the numbers that stand in the code that runs. */
interface Prepared {
  readonly code: string;
  readonly assertions: readonly Assertion[];
}

export function prepare(code: string): Prepared {
  const assertions: Assertion[] = [];
  const lines = code.split('\n');
  const prepared = lines.map((line, index) => {
    const match = statement.exec(line);
    if (match === null) {
      return line;
    }
    const [, indent = '', source = '', comment = ''] = match;
    const thrown = throwsComment.exec(comment);
    if (thrown !== null) {
      assertions.push({ kind: 'throws', name: thrown[1]!, message: thrown[2] ?? '' });
      return `${indent}await __throws(${assertions.length - 1}, async () => { ${source}; });`;
    }
    if (!valueStart.test(comment)) {
      return line;
    }
    assertions.push(readValue([comment, ...commentsBelow(lines, index)]));
    const number = assertions.length - 1;
    const declared = /^(?:const|let|using) (\w+)\b/.exec(source)?.[1];
    if (declared !== undefined) {
      return `${indent}${source}; __value(${number}, ${declared});`;
    }
    const logged = /^console\.log\((.*)\)$/.exec(source)?.[1];
    return `${indent}__value(${number}, (${logged ?? source}));`;
  });
  return { code: prepared.join('\n'), assertions };
}

/** The lines below that are nothing but comments. */
function commentsBelow(lines: readonly string[], index: number): string[] {
  const below: string[] = [];
  for (const line of lines.slice(index + 1)) {
    const comment = /^\s*\/\/(.*)$/.exec(line)?.[1];
    if (comment === undefined) {
      break;
    }
    below.push(comment);
  }
  return below;
}

/** The value that a comment writes down, as far down as it takes. */
function readValue(lines: readonly string[]): Assertion {
  let error: unknown;
  for (let count = 1; count <= lines.length; count++) {
    const text = lines.slice(0, count).join('\n').trim();
    // Outside of quotes, `…` stands for what is left out.
    const parts = text.split(/('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/);
    const whole = parts.map((part, at) => (at % 2 === 0 ? part.replaceAll(/,?\s*…/g, '') : part));
    try {
      const value: unknown = vm.runInThisContext(`(${whole.join('')}\n)`);
      return { kind: 'value', value, partial: whole.join('') !== text };
    } catch (caught) {
      error = caught;
    }
  }
  throw new Error(`not a value: // ${lines[0]}`, { cause: error });
}

/** Runs an example and holds what happens against its comments. Returns how many there were. */
export async function run({ code, at }: Example): Promise<number> {
  const { code: withChecks, assertions } = prepare(code);
  const { code: javascript } = await transformWithOxc(withChecks, 'example.ts', {
    target: 'es2023',
    sourcemap: false,
    typescript: { onlyRemoveTypeImports: true },
  });
  const body = javascript
    .replaceAll(
      /^import \* as (\w+) from ["']([^"']+)["'];?$/gm,
      (_, name: string, from: string) => `const ${name} = await __import('${from}');`,
    )
    .replaceAll(
      /^import \{([^}]*)\} from ["']([^"']+)["'];?$/gm,
      (_, names: string, from: string) =>
        `const {${names.replaceAll(' as ', ': ')}} = await __import('${from}');`,
    )
    .replaceAll(
      /^import (\w+) from ["']([^"']+)["'];?$/gm,
      (_, name: string, from: string) => `const ${name} = (await __import('${from}')).default;`,
    );
  const reached = new Set<number>();
  const globals = {
    ...argspan,
    ...gate,
    __import: async (name: string): Promise<unknown> =>
      entries[name] ?? ((await import(name)) as unknown),
    require: (name: string): unknown =>
      entries[name] ?? (createRequire(import.meta.url)(name) as unknown),
    __value(number: number, actual: unknown): void {
      reached.add(number);
      const assertion = assertions[number]!;
      if (assertion.kind === 'value') {
        if (assertion.partial) {
          expect(actual, at).toMatchObject(assertion.value as object);
        } else {
          expect(actual, at).toEqual(assertion.value);
        }
      }
    },
    async __throws(number: number, work: () => Promise<void>): Promise<void> {
      reached.add(number);
      const assertion = assertions[number]!;
      let error: unknown;
      try {
        await work();
      } catch (caught) {
        error = caught;
      }
      expect(error, at).toBeInstanceOf(Error);
      if (assertion.kind === 'throws') {
        expect((error as Error).name, at).toBe(assertion.name);
        expect((error as Error).message, at).toContain(assertion.message.replace(/…$/, ''));
      }
    },
  };
  // What an example declares itself shadows the exports, which are there without an import.
  const names = Object.keys(globals);
  const program = vm.runInThisContext(
    `(async function example({ ${names.join(', ')} }) {\n{\n${body}\n}\n})`,
    { filename: at },
  ) as (values: typeof globals) => Promise<void>;
  await program(globals);
  expect(
    [...reached].sort((a, b) => a - b),
    `${at}: comments that were reached`,
  ).toEqual(assertions.map((_, index) => index));
  return assertions.length;
}
