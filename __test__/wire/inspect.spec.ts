// `argspan inspect` over the samples.

import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

import type { Io } from '../../src/cli/io.js';
import { runProgram } from '../../src/cli/program.js';
import { samples } from '../support/wire.js';

const escape = String.fromCodePoint(27);
const folder = fileURLToPath(new URL('../../fixtures/wire/', import.meta.url));

async function inspect(args: readonly string[], input = Buffer.alloc(0), isTTY = false) {
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
  const io: Io = {
    stdin: Readable.from([input]),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
  };
  return { status: await runProgram(['inspect', ...args], io), ...written };
}

describe('argspan inspect', () => {
  test.each(samples)(
    '$name: every call is a line, and the status tells',
    async ({ name, expected }) => {
      const { status, stdout } = await inspect([folder + name, '--json']);
      const lines = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.filter(({ type }) => type === 'call').map((call) => call['text'])).toEqual(
        expected.calls.map(({ argumentsText }) => argumentsText),
      );
      const good = expected.error === undefined && expected.calls.every(({ finished }) => finished);
      expect(status).toBe(good ? 0 : 1);
    },
  );

  test('a table, and what the model would be told', async () => {
    const { status, stdout } = await inspect([`${folder}openai-chat/cut_between_events.sse`]);
    expect(status).toBe(1);
    expect(stdout)
      .toBe(`call  kind      name       finished  stop reason  outcome               arguments
0     function  get_tide   yes       -            accepted (none)       {"harbour":"Brest"}
1     function  write_log  no        -            reported (truncated)  {"line":

to the model, for write_log:
The arguments for \`write_log\` were not valid JSON (EOF while parsing a value at line 1 column 8). Received: {"line":
Call \`write_log\` again with a single JSON object that matches its parameters.
Nothing was run. Make the call again.
`);
  });

  test('standard input, a given format, and text that could drive a terminal', async () => {
    const event = {
      choices: [
        {
          delta: {
            tool_calls: [{ id: 'a', function: { name: '\u001b[2J', arguments: '\u001b' } }],
          },
        },
      ],
    };
    const input = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
    const { status, stdout } = await inspect(['-', '--format', 'openai-chat'], input, true);
    expect(status).toBe(1);
    const withoutColours = stdout
      .replaceAll(`${escape}[1m`, '')
      .replaceAll(/.\[(?:22|31|39)m/g, '');
    expect(withoutColours).not.toContain(escape);
  });

  test('an error is a line with the fields that --help names', async () => {
    const error = { message: 'no such key', type: 'invalid_request_error', code: 'bad_key' };
    const { status, stdout } = await inspect(['--json'], Buffer.from(JSON.stringify({ error })));
    expect(status).toBe(1);
    const line = JSON.parse(stdout) as object;
    const { message, type: errorType, code } = error;
    expect(line).toEqual({ type: 'error', code, errorType, message });
    const help = await inspect(['--help']);
    expect(help.stdout).toContain('type "error" with code, errorType and message');
  });

  test.each(['', '<html>502 Bad Gateway</html>\n', '{"a":1}'])(
    'what is no response of a known format holds no calls: %j',
    async (text) => {
      const { status, stdout } = await inspect([], Buffer.from(text));
      expect({ status, stdout }).toEqual({ status: 0, stdout: 'no tool calls\n' });
    },
  );

  test('misuse is one line and status 2', async () => {
    const wrong = await inspect(['--format', 'xml']);
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^argspan inspect: --format is one of .*not "xml" \(see: .*\)\n$/);
    expect((await inspect(['no/such/file'])).stderr).toMatch(/cannot read "no\/such\/file"/);
  });
});
