// `argspan lint`: what it reads, what it prints, and how it ends.

import path from 'node:path';
import { Readable, Writable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import type { Io } from '../../src/cli/io.js';
import { runProgram } from '../../src/cli/program.js';
import { root } from '../support/fixtures.js';

const escape = String.fromCodePoint(27);

async function lint(input: unknown, args: readonly string[] = [], isTTY = false) {
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') =>
    Object.assign(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          written[name] += chunk.toString();
          done();
        },
      }),
      isTTY ? { isTTY, columns: 80 } : {},
    );
  const bytes = Buffer.isBuffer(input)
    ? input
    : Buffer.from(typeof input === 'string' ? input : JSON.stringify(input));
  const io: Io = {
    stdin: Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
  };
  return { status: await runProgram(['lint', ...args], io), ...written };
}

const good = {
  name: 'now',
  description: 'Returns the time. Call this when the user asks what time it is.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};
const bad = { ...good, description: undefined };
const hint = {
  ...good,
  parameters: {
    type: 'object',
    properties: { zone: { type: 'integer', description: 'Offset of the zone' } },
    additionalProperties: false,
  },
};

describe('argspan lint', () => {
  it.each<[string, unknown, string]>([
    ['a list', [bad], '/0'],
    ['by name', { now: bad }, '/now'],
    ['one alone', bad, ''],
    ['one alone, as OpenAI has it', { type: 'function', function: bad }, '/function'],
    ['tools of MCP', { tools: [bad] }, '/tools/0'],
    ['tools of MCP, with a cursor', { tools: [bad], nextCursor: 'x' }, '/tools/0'],
    ['an answer of MCP', { jsonrpc: '2.0', id: 1, result: { tools: [bad] } }, '/result/tools/0'],
    ['a request', { model: 'm', messages: [], tools: [bad] }, '/tools/0'],
    ['a tool that is called as a member of requests', { tools: bad }, '/tools'],
    ['a byte order mark', `\uFEFF${JSON.stringify([bad])}`, '/0'],
  ])('reads %s', async (_, input, place) => {
    const { status, stdout } = await lint(input, ['--json']);
    expect(status).toBe(1);
    const lines = stdout.split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        level: 'warning',
        code: 'no-description',
        tool: place === '/tools' ? 'tools' : 'now',
        path: place,
      },
    ]);
  });

  it.each<[string, unknown, number, string]>([
    ['a good definition', [good], 0, 'no findings\n'],
    ['no tools', [], 0, 'no findings\n'],
    ['a request without tools', { model: 'm', messages: [] }, 0, 'no findings\n'],
    [
      'nothing worse than info',
      [hint],
      0,
      'info optional-without-default  now  /0/parameters/properties/zone/description\n' +
        '  the property may be left out, and nothing says what holds then\n' +
        '  mend: say it: "Defaults to …"; or require the property\n' +
        '\nerrors: 0, warnings: 0, infos: 1\n',
    ],
    [
      'a warning about no tool of many',
      { temperature: 0.9, tools: [good] },
      1,
      'warning high-temperature  /temperature\n' +
        '  a temperature of 0.9 makes calls more inventive than right\n' +
        '  mend: set it between 0.1 and 0.3 for requests with tools\n' +
        '\nerrors: 0, warnings: 1, infos: 0\n',
    ],
  ])('prints %s', async (_, input, status, text) => {
    expect(await lint(input)).toEqual({ status, stdout: text, stderr: '' });
  });

  it('reads a file', async () => {
    const file = path.join(root, 'fixtures/tools/mcp-tracker.json');
    const { status, stdout } = await lint('', [file]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/errors: 4, warnings: 9, infos: 9\n$/);
    expect(await lint([good], ['-'])).toMatchObject({ status: 0 });
  });

  it('no definition can drive a terminal', async () => {
    const { stdout } = await lint([{ ...bad, name: `${escape}[2J\n` }], [], true);
    expect(stdout).not.toContain(`${escape}[2J`);
    expect(stdout).toContain(String.raw`\u001b[2J\n`);
    const { stdout: json } = await lint([{ ...bad, name: `${escape}[2J` }], ['--json']);
    expect(json).not.toContain(escape);
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'the input is not JSON: '],
    ['no JSON', '{', 'the input is not JSON: '],
    ['a number', '5', 'the input holds no tool definitions: neither a list nor an object'],
    ['null', 'null', 'the input holds no tool definitions: neither a list nor an object'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'the input is not UTF-8'],
    ['too much', Buffer.alloc(16 * 1024 * 1024 + 1, 32), 'the input is larger than 16777216 bytes'],
  ])('misuse: %s', async (_, input, message) => {
    const { status, stdout, stderr } = await lint(input);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.startsWith(`argspan lint: ${message}`)).toBe(true);
    expect(stderr.split('\n')).toHaveLength(2);
  });
});
