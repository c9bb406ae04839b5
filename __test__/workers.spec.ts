// Worker threads: each has its own addon state, and ends in the middle of its work without harm.
// All of it happens in processes of their own, so that a crash is seen and not shared.

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

const prelude = `
  import { once } from 'node:events';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { Worker } from 'node:worker_threads';
  const url = process.argv[1];
  const start = (program) => {
    const source = \`
      const { parentPort, threadId, workerData } = require('node:worker_threads');
      import(workerData).then(async (argspan) => {
        const { check, createScanner, parse, parseToolArguments } = argspan;
        \${program}
      });
    \`;
    return new Worker(source, { eval: true, execArgv: [], workerData: url });
  };
  const library = () => import(url);
`;

/** Runs a program; what it prints is the answer, and it has to end well. */
async function run(program: string): Promise<unknown> {
  const { stdout, stderr } = await execute(
    process.execPath,
    ['--input-type=module', '-e', prelude + program, library.url],
    { timeout: 50_000 },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout) as unknown;
}

describe('guarantee 5, no crash: worker threads', () => {
  it('several load the library at once, beside the main thread or without it', async () => {
    const answers = await run(`
      const workers = Array.from({ length: 4 }, () => start(\`
        const scanner = createScanner();
        for (const unit of '{"path": "src/' + threadId + '"}') {
          scanner.feed(unit);
          scanner.verdict;
        }
        parentPort.postMessage(scanner.finish('read'));
      \`));
      const answers = await Promise.all(workers.map(async (worker) => {
        const [[answer], [code]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
        return [worker.threadId === -1, code, answer.status, answer.text];
      }));
      const { parse } = await library();
      console.log(JSON.stringify([...answers, parse('{"main": true}')]));
    `);
    expect(answers).toEqual([
      ...[1, 2, 3, 4].map((id) => [true, 0, 'accepted', `{"path": "src/${id}"}`]),
      { main: true },
    ]);
  });

  it('ended in the middle of their work, again and again, they leave the others alone', async () => {
    const answer = await run(`
      const { check, createScanner } = await library();
      const mine = createScanner();
      mine.feed('{"a":1');
      const codes = [];
      for (let round = 0; round < 12; round++) {
        const worker = start(\`
          parentPort.postMessage('started');
          const text = '{"a":"' + 'x'.repeat(100000) + '"}';
          const bytes = new TextEncoder().encode(text);
          for (;;) {
            const scanner = createScanner({ keepText: workerData.length % 2 === 0 });
            scanner.feed(text);
            scanner.feed(bytes);
            scanner.verdict;
            check(bytes);
            parse(text);
          }
        \`);
        await once(worker, 'message');
        await sleep(round * 3);
        mine.feed(String(round));
        codes.push(await worker.terminate());
      }
      mine.feed('}');
      console.log(JSON.stringify([codes, mine.finish('t').text, check('{}').repair]));
    `);
    expect(answer).toEqual([Array.from({ length: 12 }, () => 1), '{"a":101234567891011}', 'none']);
  });

  it('ended while they load the library', async () => {
    const answer = await run(`
      for (let round = 0; round < 10; round++) {
        const worker = start('');
        await sleep(round * 4);
        await worker.terminate();
      }
      const { parse } = await library();
      console.log(JSON.stringify(parse('see {"still": "here"}')));
    `);
    expect(answer).toEqual({ still: 'here' });
  });

  it('the process may end while they work', async () => {
    const answer = await run(`
      const workers = Array.from({ length: 3 }, () => start(\`
        parentPort.postMessage('started');
        for (;;) check('{"a":"' + 'x'.repeat(10000) + '"}');
      \`));
      await Promise.all(workers.map((worker) => once(worker, 'message')));
      await new Promise((resolve) => process.stdout.write('"over"', resolve));
      process.exit(0);
    `);
    expect(answer).toBe('over');
  });

  it('an error of theirs arrives with its message, a scanner cannot be sent', async () => {
    const answer = await run(`
      const { createScanner } = await library();
      const worker = start("parse('{')");
      const [error] = await once(worker, 'error');
      let refused = null;
      try {
        const scanner = createScanner();
        scanner.feed('{"a":1}');
        const copy = structuredClone(scanner);
        refused = typeof copy.feed;
      } catch (reason) {
        refused = reason.name;
      }
      console.log(JSON.stringify([error.message, refused]));
    `);
    expect(answer).toEqual([
      'The arguments were not valid JSON (EOF while parsing an object at line 1 column 1). Received: {',
      'undefined',
    ]);
  });

  it('memory that was sent away in the meantime is refused, and what was fed before stays', async () => {
    const answer = await run(`
      const { check, createScanner } = await library();
      const worker = start("parentPort.on('message', (bytes) => { parentPort.postMessage(check(bytes).repair); parentPort.close(); })");
      const bytes = new Uint8Array(new TextEncoder().encode('{"a":1}'));
      const scanner = createScanner();
      scanner.feed(bytes);
      worker.postMessage(bytes, [bytes.buffer]);
      const [there] = await once(worker, 'message');
      let here;
      try {
        check(bytes);
      } catch (error) {
        here = error.name;
      }
      console.log(JSON.stringify([there, here, scanner.finish('t').text]));
    `);
    expect(answer).toEqual(['none', 'TypeError', '{"a":1}']);
  });
});
