// Gates in several threads at once, which share nothing.

import { Worker } from 'node:worker_threads';

import { expect, it } from 'vitest';

import { root } from '../support/fixtures.js';

const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  (async () => {
    const { createGate } = await import(workerData.entry);
    const gate = createGate([{ name: 'read', parameters: {
      properties: { path: { type: 'string' } }, required: ['path'] } }]);
    const seen = new Set();
    for (let round = 0; round < 2000; round++) {
      const text = '{"path": "' + workerData.name + '", "n": 9007199254740993, "__proto__": 1}';
      const { kind, outcome } = gate.decide({ id: '1', name: 'read', arguments: text });
      const good = gate.decide({ id: '2', name: 'read', arguments: '{"path": "' + workerData.name + '", "n": 9007199254740993}' });
      seen.add([kind, outcome.replay.includes(workerData.name), good.arguments.path, good.findings.map(({ code }) => code)].join());
    }
    parentPort.postMessage([...seen]);
  })();
`;

it('each decides by itself', async () => {
  const entry = new URL(`file://${root}/dist/gate/index.js`).href;
  const answers = ['one', 'two', 'three', 'four'].map(
    async (name) =>
      await new Promise((resolve, reject) => {
        const worker = new Worker(program, { eval: true, workerData: { entry, name } });
        worker.once('message', resolve);
        worker.once('error', reject);
      }),
  );
  expect(await Promise.all(answers)).toEqual(
    ['one', 'two', 'three', 'four'].map((name) => [
      `forbidden-key,true,${name},unsafe-integer,unknown-key`,
    ]),
  );
});
