// What scanners cost and keep alive, measured in processes of their own, where nobody else allocates.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { compile } from './support/compile.js';
import type { Compiled } from './support/compile.js';

const execute = promisify(execFile);

let library: Compiled;

beforeAll(async () => {
  library = await compile();
});

afterAll(() => {
  library.remove();
});

/** What every measurement begins with. */
const prelude = `
  import { setImmediate as turn } from 'node:timers/promises';
  const { check, createScanner, parse, parseToolArguments } = await import(process.argv[1]);
  async function settle() {
    for (let round = 0; round < 5; round++) {
      globalThis.gc();
      await turn();
    }
  }
  async function memory() {
    await settle();
    const { heapUsed, external, rss } = process.memoryUsage();
    return { managed: heapUsed + external, rss };
  }
`;

/** Runs a program that prints one JSON value. */
async function measure<T>(program: string): Promise<T> {
  const { stdout } = await execute(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', prelude + program, library.url],
    { maxBuffer: 1 << 26, timeout: 50_000 },
  );
  return JSON.parse(stdout) as T;
}

/** What one of many scanners costs beyond one of as many empty objects, in bytes. */
async function costOf(options: string, feeding: string, keepEvery = 1): Promise<Cost> {
  return measure(`
    const kept = new Array(${20_000 / keepEvery});
    async function cost(make) {
      kept.fill(null);
      const before = await memory();
      for (let index = 0; index < 20_000; index++) {
        const made = make(index);
        if (index % ${keepEvery} === 0) {
          kept[index / ${keepEvery}] = made;
        }
      }
      const after = await memory();
      return {
        managed: (after.managed - before.managed) / kept.length,
        rss: (after.rss - before.rss) / kept.length,
      };
    }
    const feed = ${feeding};
    const scanner = (index) => {
      const one = createScanner(${options});
      feed(one, index);
      return one;
    };
    scanner(0);
    const objects = await cost(() => ({}));
    const scanners = await cost(scanner);
    console.log(JSON.stringify({
      managed: scanners.managed - objects.managed,
      rss: scanners.rss - objects.rss,
    }));
  `);
}

interface Cost {
  /** Heap and external memory. */
  readonly managed: number;
  /** The process's memory, which also has what native code took, and what lies idle. */
  readonly rss: number;
}

/** Bytes; and as much again for what the process has taken and not yet given back. */
const costMax = 1024;

const light = '{ keepText: false, echoLimit: 0 }';

const feedings: Readonly<Record<string, string>> = {
  nothing: '() => {}',
  'a small object': `(one) => one.feed('{"path": "src/main.rs"}')`,
  'what nobody looked at': `(one) => one.feed('{"path": ')`,
  'a long string': `(one) => { one.feed('{"a":"' + 'x'.repeat(5000)); one.verdict; }`,
  'many fragments': `(one) => { for (const c of '{"a":"bcdefghijklmnopqrstuvwxyz') { one.feed(c); one.verdict; } }`,
  'a deep text': `(one) => { one.feed('{"a":['.repeat(63)); one.verdict; }`,
  'a text that is too deep': `(one) => { one.feed('['.repeat(500)); one.verdict; }`,
  'a string that holds an object': `(one) => { one.feed('"{\\\\"a\\\\":[' + '\\\\u00e9'.repeat(50)); one.verdict; }`,
  'prose and white space': `(one) => { one.feed('so: ' + ' \\n'.repeat(500) + '\u{e9}'); one.verdict; }`,
  'digits without end': `(one) => { one.feed('{"a":0.' + '1'.repeat(3000)); one.verdict; }`,
  'bytes cut inside a character': `(one) => one.feed(Uint8Array.of(0x7b, 0x22, 0xf0, 0x9f))`,
  'half a pair': `(one) => { one.feed('{"\\ud83d'); one.verdict; }`,
  'bytes that are not UTF-8': `(one) => one.feed(new Uint8Array(200).fill(0xff))`,
  'a text that was finished': `(one) => { one.feed('{"a":1}'); one.finishCheck(); one.report('t', 'length'); }`,
};

describe.concurrent('guarantee 4: memory of an open scanner without kept text and echo', () => {
  it.each(Object.entries(feedings))('at most 1 KB, fed %s', async (_, feeding) => {
    const cost = await costOf(light, feeding);
    expect(cost.managed).toBeLessThanOrEqual(costMax);
    expect(cost.rss).toBeLessThanOrEqual(2 * costMax);
  });

  it('at most 1 KB, where most of its neighbours are gone', async () => {
    const cost = await costOf(light, feedings['a small object']!, 20);
    expect(cost.managed).toBeLessThanOrEqual(costMax);
  });

  it('with an echo: no more than the echo beyond that', async () => {
    const cost = await costOf(
      '{ keepText: false }',
      `(one, index) => { for (let part = 0; part < 4; part++) one.feed((index + 'x').repeat(400)); one.verdict; }`,
    );
    // Twice 501 characters are kept, in case they were all pairs.
    expect(cost.managed).toBeLessThanOrEqual(costMax + 1100);
  });

  it('does not grow with what is fed', async () => {
    const sizes = await measure<number[]>(`
      const sizes = [];
      const one = createScanner(${light});
      const other = createScanner({ keepText: false });
      const third = createScanner({ maxBytes: 1000 });
      for (let round = 0; round < 5; round++) {
        for (let index = 0; index < 20_000; index++) {
          one.feed('{"a":"bcdefgh');
          other.feed('{"a":"bcdefgh');
          third.feed('{"a":"bcdefgh');
        }
        one.verdict;
        sizes.push((await memory()).managed);
      }
      console.log(JSON.stringify(sizes));
    `);
    // 1.3 MB went into each scanner in the meantime.
    expect(sizes.at(-1)! - sizes[1]!).toBeLessThan(100_000);
  });
});

describe.concurrent('guarantee 4: what is not asked for is not kept', () => {
  /** Bytes that are alive beyond what there was before, with 50 things made of 1 MB each. */
  async function alive(make: string): Promise<number> {
    return measure<number>(`
      const text = (index) => ('\u{e9}bcdefgh' + index).repeat(60_000);
      const make = ${make};
      make(0);
      const before = await memory();
      const kept = Array.from({ length: 50 }, (_, index) => make(index));
      const after = await memory();
      console.log(JSON.stringify(after.managed - before.managed));
      if (kept.length === 0) throw new Error();
    `);
  }

  // A few kilobytes each; were a text kept alive, it would be a megabyte each.
  const aliveMax = 50 * 20_000;

  it.each([
    ['a report', `(index) => parseToolArguments('t', text(index))`],
    [
      'a report of an object that was cut',
      `(index) => parseToolArguments('t', '{"a":"' + text(index))`,
    ],
    ['a report of bytes', `(index) => parseToolArguments('t', Buffer.from(text(index)))`],
    [
      'a report of a text that is too large',
      `(index) => parseToolArguments('t', text(index), { maxBytes: 10 })`,
    ],
    [
      'a report of a scanner that is gone',
      `(index) => { const one = createScanner(); one.feed(text(index)); return one.report('t'); }`,
    ],
    ['a check', `(index) => check(text(index))`],
    [
      'an error',
      `(index) => { try { parse(text(index)); } catch (error) { error.stack; return error; } }`,
    ],
    [
      'a scanner without kept text',
      `(index) => { const one = createScanner({ keepText: false }); one.feed(text(index)); one.verdict; return one; }`,
    ],
    [
      'a scanner without kept text that nobody looked at',
      `(index) => { const one = createScanner({ keepText: false }); one.feed(text(index).slice(0, 300)); return one; }`,
    ],
    [
      'a scanner without kept text that was fed bytes',
      `(index) => { const one = createScanner({ keepText: false }); one.feed(Buffer.from(text(index))); return one; }`,
    ],
    [
      'a scanner beyond its limit',
      `(index) => { const one = createScanner({ maxBytes: 10 }); one.feed(text(index)); one.verdict; return one; }`,
    ],
    [
      'a scanner that was disposed of',
      `(index) => { const one = createScanner(); one.feed(text(index)); one.verdict; one[Symbol.dispose](); return one; }`,
    ],
    [
      'a scanner that started over',
      `(index) => { const one = createScanner(); one.feed(text(index)); one.verdict; one.reset(); return one; }`,
    ],
    [
      'a scanner that keeps a fragment of a large text',
      `(index) => { const one = createScanner(); one.feed(text(index).slice(0, 700)); one.verdict; return one; }`,
    ],
    [
      'a scanner that keeps a fragment of a large text among empty ones',
      `(index) => { const one = createScanner(); for (const f of ['', text(index).slice(0, 700), '']) one.feed(f); one.verdict; return one; }`,
    ],
  ])('%s keeps no large text alive', async (_, make) => {
    expect(await alive(make)).toBeLessThan(aliveMax);
  });

  it('a scanner with kept text keeps it once', async () => {
    const size = await alive(
      `(index) => { const one = createScanner(); const whole = text(index); for (let at = 0; at < whole.length; at += 100) one.feed(whole.slice(at, at + 100)); one.verdict; return one; }`,
    );
    expect(size).toBeGreaterThan(50 * 500_000);
    expect(size).toBeLessThan(50 * 1_700_000);
  });
});

describe('guarantee 4: abandoned scanners are released', () => {
  it.each([
    ['without kept text', light, `one.feed('{"path": "src/main.rs"'); one.verdict;`],
    ['with kept text', '{}', `one.feed('{"path": "' + 'x'.repeat(2000)); one.verdict;`],
    ['with kept bytes', '{}', `one.feed(bytes); one.verdict;`],
    ['that nobody looked at', '{}', `one.feed('{"path": "src/main.rs"');`],
  ])('inside one long synchronous loop, %s', async (_, options, work) => {
    const { before, highest } = await measure<{ before: number; highest: number }>(`
      const bytes = new Uint8Array(2000).fill(0x78);
      const run = (count) => {
        let highest = 0;
        for (let index = 0; index < count; index++) {
          const one = createScanner(${options});
          ${work}
          if (index % 5000 === 0) {
            highest = Math.max(highest, process.memoryUsage.rss());
          }
        }
        return highest;
      };
      run(2000);
      const before = (await memory()).rss;
      const highest = run(300_000);
      console.log(JSON.stringify({ before, highest }));
    `);
    // Were they kept, they would take between 100 and 1300 MB.
    expect((highest - before) / 2 ** 20).toBeLessThan(80);
  });

  it('and everything is back afterwards', async () => {
    const grown = await measure<number>(`
      const run = () => {
        for (let index = 0; index < 50_000; index++) {
          const one = createScanner();
          one.feed('{"path": "src/main.rs"}');
          if (index % 3 === 0) one.finish('t');
          if (index % 2 === 0) one[Symbol.dispose]();
        }
      };
      run();
      run();
      const before = await memory();
      for (let round = 0; round < 4; round++) run();
      const after = await memory();
      console.log(JSON.stringify(after.managed - before.managed));
    `);
    // Five bytes a scanner: what V8 itself adds and drops between two looks is some hundred kilobytes.
    expect(grown).toBeLessThan(1_000_000);
  });
});
