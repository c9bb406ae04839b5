import { spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { InputStream, Io, OutputStream } from '../src/cli/io.js';
import { runProgram } from '../src/cli/program.js';
import {
  jsonLine,
  styleFor,
  truncate,
  visible,
  visibleLines,
  widthOf,
  wrap,
} from '../src/cli/terminal.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = path.join(root, 'dist/cli/main.js');
const esc = '\u001B';

interface Surroundings {
  readonly input?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly columns?: number;
  readonly env?: Record<string, string>;
  readonly stdout?: OutputStream;
}

interface Result {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Collects what is written; with `columns` it passes for a terminal. */
function sink(columns?: number): OutputStream & { text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  return Object.assign(stream, { text }, columns === undefined ? {} : { isTTY: true, columns });
}

function inputFrom(input: Surroundings['input']): InputStream {
  if (typeof input === 'object' && !(input instanceof Uint8Array)) {
    return input;
  }
  return Readable.from([Buffer.from(input ?? '')]);
}

async function argspan(args: readonly string[], given: Surroundings = {}): Promise<Result> {
  const stdout = sink(given.columns);
  const stderr = sink();
  const io: Io = {
    stdin: inputFrom(given.input),
    stdout: given.stdout ?? stdout,
    stderr,
    env: given.env ?? {},
  };
  const status = await runProgram(args, io);
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

function failing(code: string): OutputStream {
  return new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error(`${code}: the device said no, write`), { code }));
    },
  });
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{');
  throw new Error('EIO: i/o error, read');
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'argspan-cli-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string | Uint8Array): string {
  const location = path.join(folder, name);
  writeFileSync(location, content);
  return location;
}

const again = (name: string): string =>
  `Call \`${name}\` again with a single JSON object that matches its parameters.\n`;

describe('argspan check', () => {
  it.each([
    ['{"path": "a.rs"}', 'accepted (repair: none, span: 0..16)\n{"path": "a.rs"}\n'],
    [' \n{"a":1}\n', 'accepted (repair: none, span: 2..9)\n{"a":1}\n'],
    ['', 'accepted (repair: empty, span: 0..0)\n{}\n'],
    [' \t\n', 'accepted (repair: empty, span: 0..0)\n{}\n'],
    ['```json\n{"a":1}\n```', 'accepted (repair: fence, span: 8..15)\n{"a":1}\n'],
    ['Here: {"a":{}} done', 'accepted (repair: prose, span: 6..14)\n{"a":{}}\n'],
    ['"{\\"a\\":1}"', 'accepted (repair: double-encoding, span: 0..11)\n{"a":1}\n'],
    // Spans are bytes, since bytes are what the file holds.
    ['ä {"ö":1}', 'accepted (repair: prose, span: 3..11)\n{"ö":1}\n'],
  ])('accepts %j', async (input, stdout) => {
    expect(await argspan(['check'], { input })).toEqual({ status: 0, stdout, stderr: '' });
  });

  it.each([
    [
      '{"path": "src/main.rs',
      'truncated',
      'The arguments for `tool` were not valid JSON (EOF while parsing a string at line 1 column 21). Received: {"path": "src/main.rs\n',
    ],
    [
      '{"path": src/main.rs}',
      'malformed',
      'The arguments for `tool` were not valid JSON (expected value at line 1 column 10). Received: {"path": src/main.rs}\n',
    ],
    [
      '[1]',
      'not-object',
      'The arguments for `tool` were not valid JSON (expected a JSON object). Received: [1]\n',
    ],
    [
      '"read it"',
      'not-object',
      'The arguments for `tool` were not valid JSON (expected a JSON object, got a string). Received: "read it"\n',
    ],
  ])('reports %j', async (input, kind, line) => {
    const stdout = `reported (kind: ${kind})\n${line}${again('tool')}`;
    expect(await argspan(['check'], { input })).toEqual({ status: 1, stdout, stderr: '' });
  });

  it('reads bytes: another encoding is reported, not replaced', async () => {
    const { status, stdout } = await argspan(['check'], {
      input: Buffer.from('{"a":"\u00E4"}', 'latin1'),
    });
    expect(stdout).toMatch(/^reported \(kind: invalid-utf8\)\n.*invalid sequence at byte 6/);
    expect(status).toBe(1);
  });

  it.each([
    ['--stop=length', 'Nothing was run. Make a smaller call that fits the limit.\n'],
    ['--stop=interrupted', 'Nothing was run. Make the call again.\n'],
  ])('%s reports text that is whole but was cut', async (option, hint) => {
    const { status, stdout } = await argspan(['check', option], { input: '{"a":1}' });
    expect(stdout).toMatch(
      /^reported \(kind: truncated\)\nThe arguments for `tool` were not complete/,
    );
    expect(stdout.endsWith(again('tool') + hint)).toBe(true);
    expect(status).toBe(1);
  });

  it('--stop finished is the default', async () => {
    const input = '{"a":1}';
    expect(await argspan(['check', '--stop', 'finished'], { input })).toEqual(
      await argspan(['check'], { input }),
    );
  });

  it('--repairs repairs what it names, and says so', async () => {
    const input = '{"a": "x\ny"}}';
    const repairs = ['check', '--repairs', 'extra-closers, control-characters'];
    expect(await argspan(repairs, { input })).toEqual({
      status: 0,
      stdout: 'accepted (repair: control-characters, extra-closers, span: 0..12)\n{"a": "x\\ny"}\n',
      stderr: '',
    });
    const json = await argspan([...repairs, '--json'], { input });
    expect(JSON.parse(json.stdout)).toMatchObject({
      repair: 'control-characters',
      repairs: ['control-characters', 'extra-closers'],
      text: String.raw`{"a": "x\ny"}`,
    });
    const cut = await argspan([...repairs, '--stop', 'length'], { input });
    expect(cut).toEqual(await argspan(['check', '--stop', 'length'], { input }));
    expect(cut.status).toBe(1);
    const too = await argspan(['check', '--repairs', 'extra-closers'], { input });
    expect(too).toEqual(await argspan(['check'], { input }));
  });

  it('--name names the tool', async () => {
    const { stdout } = await argspan(['check', '--name', 'read'], { input: '{' });
    expect(stdout).toContain('The arguments for `read` were');
    expect(stdout.endsWith(again('read'))).toBe(true);
  });

  it('--json prints the outcome, on one line', async () => {
    const accepted = await argspan(['check', '--json', '--name', 'read'], { input: '{"a":\n[1]}' });
    expect(accepted.stdout).toBe(
      `${JSON.stringify({
        status: 'accepted',
        name: 'read',
        value: { a: [1] },
        text: '{"a":\n[1]}',
        repair: 'none',
        span: { start: 0, end: 10 },
      })}\n`,
    );
    const reported = await argspan(['check', '--json'], { input: '{"a":tru' });
    expect(reported.status).toBe(1);
    expect(JSON.parse(reported.stdout)).toMatchObject({
      status: 'reported',
      name: 'tool',
      kind: 'truncated',
      echo: '{"a":tru',
      replay: '{"INVALID_JSON":"{\\"a\\":tru"}',
    });
  });

  it('reads a file, and standard input as "-"', async () => {
    const location = file('call.json', '{"a":1}');
    const expected = {
      status: 0,
      stdout: 'accepted (repair: none, span: 0..7)\n{"a":1}\n',
      stderr: '',
    };
    expect(await argspan(['check', location])).toEqual(expected);
    expect(await argspan(['check', '-'], { input: '{"a":1}' })).toEqual(expected);
    expect(await argspan(['check', '--', location])).toEqual(expected);
  });

  it('decides alike however the input is cut', async () => {
    const input = Buffer.from('Gerne: ```{"städte":["Köln","東京","🎉"]}``` x', 'utf8');
    const whole = await argspan(['check'], { input });
    expect(whole.status).toBe(0);
    const bytes = Readable.from([...input].map((byte) => Buffer.from([byte])));
    expect(await argspan(['check'], { input: bytes })).toEqual(whole);
  });

  it('ends an endless input at the limit, with a report', async () => {
    const chunk = Buffer.alloc(1 << 20, '1');
    let taken = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          taken += 1;
          yield chunk;
        }
      } finally {
        closed = true;
      }
    }
    const { status, stdout } = await argspan(['check'], { input: endless() });
    expect(stdout).toBe(
      `reported (kind: too-large)\nThe arguments for \`tool\` were too large (more than 16777216 bytes). Received: ${'1'.repeat(500)}…\n${again('tool')}`,
    );
    expect(status).toBe(1);
    expect(taken).toBe(17);
    expect(closed).toBe(true);
  });

  it('gives a pipe the exact text, and a terminal an escaped one', async () => {
    const input = `{"a":${esc}[2J\r\u202E\u009B`;
    const piped = await argspan(['check'], { input });
    expect(piped.stdout).toContain(`Received: ${input}\n`);
    const shown = await argspan(['check'], { input, columns: 80 });
    expect(shown.stdout).toContain(String.raw`Received: {"a":\u001b[2J\r\u202e\u009b` + '\n');
    expect(shown.stdout.startsWith(`${esc}[31mreported${esc}[39m (kind: malformed)\n`)).toBe(true);
    expect(shown.stdout.split(esc).length).toBe(3);
  });

  it('escapes on a terminal so that an object stays the same JSON', async () => {
    const text = '{"a":"\u007F\u009B\u200B\u2028\u{E0041}"}';
    const { stdout } = await argspan(['check'], {
      input: text,
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    const shown = stdout.split('\n')[1]!;
    expect(shown).toMatch(/^[ -~]*$/);
    expect(JSON.parse(shown)).toEqual(JSON.parse(text));
  });

  it('never lets a line of JSON drive a terminal either', async () => {
    const input = '{"a":"\u009B2J\u2028"} \u009B';
    const { stdout } = await argspan(['check', '--json'], { input });
    expect(stdout).toMatch(/^[ -~]*\n$/);
    expect(JSON.parse(stdout)).toMatchObject({ value: { a: '\u009B2J\u2028' } });
  });

  it('hints that it waits for the terminal', async () => {
    const input = Object.assign(Readable.from([Buffer.from('{}')]), { isTTY: true });
    const { stdout, stderr } = await argspan(['check'], { input });
    expect(stderr).toBe(
      'Reading the arguments from the terminal; an end of file (Ctrl-D) ends the input.\n',
    );
    expect(stdout).toBe('accepted (repair: none, span: 0..2)\n{}\n');
  });

  it('keeps its status when nobody reads the output', async () => {
    for (const code of ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']) {
      const accepted = await argspan(['check'], { input: '{}', stdout: failing(code) });
      expect(accepted).toEqual({ status: 0, stdout: '', stderr: '' });
      const reported = await argspan(['check'], { input: '{', stdout: failing(code) });
      expect(reported).toEqual({ status: 1, stdout: '', stderr: '' });
    }
  });

  it('says when the output cannot be written', async () => {
    expect(await argspan(['check'], { input: '{}', stdout: failing('ENOSPC') })).toEqual({
      status: 2,
      stdout: '',
      stderr: 'argspan check: cannot write the output: the device said no\n',
    });
  });

  it('says when the input cannot be read', async () => {
    expect(await argspan(['check'], { input: broken() })).toEqual({
      status: 2,
      stdout: '',
      stderr: 'argspan check: cannot read standard input: i/o error\n',
    });
  });
});

it('refuses a directory as standard input, which Node would take for an empty one', async () => {
  const fd = openSync(folder, 'r');
  try {
    const { status, stderr } = await argspan(['check'], {
      input: Object.assign(Readable.from([]), { fd }),
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'argspan check: cannot read standard input: it is a directory\n',
    });
  } finally {
    closeSync(fd);
  }
});

describe('misuse is one line and status 2', () => {
  const help = ' (see: argspan --help)\n';
  const checkHelp = ' (see: argspan help check)\n';
  it.each([
    [[], `argspan: a command is missing: check, inspect, lint, demo, help${help}`],
    [
      ['chekc'],
      `argspan: unknown command "chekc", there are: check, inspect, lint, demo, help${help}`,
    ],
    [
      ['help', 'x'],
      `argspan: unknown command "x", there are: check, inspect, lint, demo, help${help}`,
    ],
    [['--frob'], `argspan: unknown option --frob${help}`],
    [['check', '--frob'], `argspan check: unknown option --frob${checkHelp}`],
    [['check', '-x'], `argspan check: unknown option -x${checkHelp}`],
    [['check', '--name'], `argspan check: --name needs a value${checkHelp}`],
    [['check', '--json=no'], `argspan check: --json takes no value${checkHelp}`],
    [['check', '--name', 'a', '--name', 'b'], `argspan check: --name was given twice${checkHelp}`],
    [
      ['check', '--stop', 'eos'],
      `argspan check: --stop is one of finished, length, interrupted, not "eos"${checkHelp}`,
    ],
    [
      ['check', '--repairs', 'extra-closers,nothing'],
      'argspan check: --repairs is a list of unique-object, repeated-copies, control-characters, ' +
        `literal-backslashes, extra-closers, which "nothing" is not${checkHelp}`,
    ],
    [
      ['check', '--repairs', 'nested-json'],
      `argspan check: --repairs nested-json needs a schema, which a gate has and this has not${checkHelp}`,
    ],
    [['check', 'a', 'b'], `argspan check: one file at most, and "b" is another${checkHelp}`],
    [
      ['check', '/no/such/file'],
      'argspan check: cannot read "/no/such/file": no such file or directory\n',
    ],
    [['check', '/'], 'argspan check: cannot read "/": illegal operation on a directory\n'],
    [['demo', '--name', 'x'], 'argspan demo: unknown option --name (see: argspan help demo)\n'],
    [
      ['demo', '/no/such/file'],
      'argspan demo: cannot read "/no/such/file": no such file or directory\n',
    ],
    ...[['FILE'], ['--all']].map((extra): [string[], string] => [
      ['demo', '--wire', ...extra],
      'argspan demo: --wire shows responses of its own: it takes neither FILE nor --all (see: argspan help demo)\n',
    ]),
  ])('%j', async (args, stderr) => {
    expect(await argspan(args)).toEqual({ status: 2, stdout: '', stderr });
  });

  it('with what was typed made harmless', async () => {
    const { stderr } = await argspan([`${esc}[2Jx\ny`]);
    expect(stderr).toBe(
      String.raw`argspan: unknown command "\u001b[2Jx\ny", there are: check, inspect, lint, demo, help` +
        help,
    );
  });
});

describe('help and version', () => {
  it('lists the commands', async () => {
    const { status, stdout, stderr } = await argspan(['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: argspan <command>/);
    for (const name of ['check', 'inspect', 'lint', 'demo', 'help']) {
      expect(stdout).toMatch(new RegExp(`^  ${name}\\s+\\S`, 'm'));
    }
    for (const other of [['-h'], ['help'], ['help', 'help']]) {
      expect((await argspan(other)).stdout).toBe(stdout);
    }
  });

  it.each(['check', 'inspect', 'lint', 'demo'])('explains %s, every option of it', async (name) => {
    const { status, stdout } = await argspan(['help', name]);
    expect(status).toBe(0);
    expect(stdout.startsWith(`Usage: argspan ${name} `)).toBe(true);
    expect((await argspan([name, '--help'])).stdout).toBe(stdout);
    expect((await argspan([name, 'x', '-h', '--json'])).stdout).toBe(stdout);
    for (const line of stdout.split('\n')) {
      expect(line.length).toBeLessThanOrEqual(90);
    }
  });

  it('prints the version of package.json', async () => {
    const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    for (const option of ['--version', '-v']) {
      expect(await argspan([option])).toEqual({
        status: 0,
        stdout: `${manifest.version}\n`,
        stderr: '',
      });
    }
  });
});

describe('text for a terminal', () => {
  it('escapes each character that could move the cursor, hide text or break the line', () => {
    for (let code = 0; code <= 0x1_0f_ff; code += 1) {
      const character = String.fromCodePoint(code);
      const hostile = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(character);
      expect(visible(character) === character).toBe(!hostile);
      if (hostile) {
        expect(visible(character)).toMatch(/^\\[ -~]+$/);
      }
    }
    expect(visible('a\nb\tc\r\u0007\uD800')).toBe(String.raw`a\nb\tc\r\u0007\ud800`);
    expect(visibleLines('a\nb\tc\r')).toBe('a\nb\tc\\r');
  });

  it('writes JSON that reads back as the same value', () => {
    const value = { text: '\u0000\u007F\u0085\u2029\u{E0001}\uD800 "\\ 🎉', list: [1, null] };
    const line = jsonLine(value);
    expect(line).toMatch(/^[ -~🎉]*\n$/u);
    expect(JSON.parse(line)).toEqual(value);
  });

  it.each([
    ['plain', 5],
    ['漢字', 4],
    ['🎉', 2],
    ['e\u0301', 1],
    ['❤\uFE0F', 2],
    ['한글', 4],
    ['ｱ', 1],
    ['Ａ', 2],
    ['🇩🇪', 2],
    ['…─━×·', 5],
  ])('measures %s', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('cuts between characters, never inside one, and always to the width', () => {
    const text = 'a漢e\u0301🎉字🇩🇪z';
    const whole = [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment);
    for (let columns = 1; columns <= widthOf(text) + 1; columns += 1) {
      const cut = truncate(text, columns);
      expect(widthOf(cut)).toBeLessThanOrEqual(columns);
      const kept = cut === text ? text : cut.slice(0, -1);
      expect(cut === text || cut.endsWith('…')).toBe(true);
      expect(whole.map((_, index) => whole.slice(0, index).join('')).concat(text)).toContain(kept);
    }
    expect(truncate(text, widthOf(text))).toBe(text);
  });

  it('wraps at spaces and loses nothing but them', () => {
    expect(wrap('one two three four', 9, 9)).toEqual(['one two', 'three', 'four']);
    expect(wrap('onetwothreefour', 6, 9)).toEqual(['onetwo', 'threef', 'our']);
    expect(wrap('one two three four', 9, 2)).toEqual(['one two', 'three fo…']);
    expect(wrap('one two', Infinity, 1)).toEqual(['one two']);
    expect(wrap('', 10, 3)).toEqual(['']);
    expect(wrap('漢字', 1, 5)).toEqual(['漢', '字']);
  });

  it('colours on a terminal only, and not with NO_COLOR or a dumb one', () => {
    const painted = `${esc}[31mx${esc}[39m`;
    expect(styleFor(sink(80), {}).paint('red', 'x')).toBe(painted);
    expect(styleFor(sink(80), { NO_COLOR: '' }).paint('red', 'x')).toBe(painted);
    expect(styleFor(sink(80), { NO_COLOR: '0' }).paint('red', 'x')).toBe('x');
    expect(styleFor(sink(80), { TERM: 'dumb' }).paint('red', 'x')).toBe('x');
    expect(styleFor(sink(), {}).paint('red', 'x')).toBe('x');
    expect(styleFor(sink(), { FORCE_COLOR: '1' }).terminal).toBe(false);
    expect(styleFor(sink(10), {}).columns).toBe(40);
    expect(styleFor(sink(500), {}).columns).toBe(120);
  });
});

/** Starts the built program; `feed` gets the process while it runs. */
function start(
  args: readonly string[],
  feed: (child: ReturnType<typeof spawn>) => void,
  env: Record<string, string> = {},
  main = built,
): Promise<{ status: number | null; signal: string | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    // The program may close its input before we have written all of it.
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (status, signal) => {
      resolve({ status, signal, stdout, stderr });
    });
    feed(child);
  });
}

function send(input: string | Uint8Array): (child: ReturnType<typeof spawn>) => void {
  return (child) => {
    child.stdin!.end(input);
  };
}

// `npm test` builds first; a bare vitest run in a fresh clone has nothing to start.
describe.skipIf(!existsSync(built))('the built program (skipped without dist/)', () => {
  it('begins with a line that a shell can start it by', () => {
    expect(readFileSync(built, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node');
  });

  it.each([
    [['check'], '{"a":1}', 0, 'accepted (repair: none, span: 0..7)\n{"a":1}\n', ''],
    [
      ['check', '--name', 'read'],
      '{"a":1',
      1,
      `reported (kind: truncated)\nThe arguments for \`read\` were not valid JSON (EOF while parsing an object at line 1 column 6). Received: {"a":1\n${again('read')}`,
      '',
    ],
    [
      ['check', '--no'],
      '',
      2,
      '',
      'argspan check: unknown option --no (see: argspan help check)\n',
    ],
  ])('%j with %j', async (args, input, status, stdout, stderr) => {
    expect(await start(args, send(input))).toEqual({ status, signal: null, stdout, stderr });
  });

  it('takes an endless input with little memory', async () => {
    const chunk = Buffer.alloc(1 << 16, 'x');
    const { status, stdout, stderr } = await start(
      ['check'],
      ({ stdin }) => {
        const write = (): void => {
          let more = true;
          while (more) {
            more = stdin!.writable && stdin!.write(chunk);
          }
        };
        stdin!.on('drain', write);
        write();
      },
      { NODE_OPTIONS: '--max-old-space-size=64' },
    );
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout).toMatch(/^reported \(kind: too-large\)\n/);
  });

  it('survives a reader that goes away', async () => {
    const { status, signal, stderr } = await start(['demo', '--json'], ({ stdout }) => {
      stdout!.once('data', () => stdout!.destroy());
    });
    expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  });

  it("says in the loader's words that the addon is missing", async () => {
    const copy = path.join(folder, 'without-addon');
    cpSync(path.join(root, 'dist'), path.join(copy, 'dist'), { recursive: true });
    for (const name of ['package.json', 'native/load.cjs', 'demo/recordings.jsonl']) {
      cpSync(path.join(root, name), path.join(copy, name));
    }
    const main = path.join(copy, 'dist/cli/main.js');
    const { status, stdout, stderr } = await start(['check'], send('{}'), {}, main);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^argspan: argspan has no working addon for \S+ /);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('keeps the status of a check that nobody reads', async () => {
    const { status, signal, stderr } = await start(['check'], ({ stdin, stdout }) => {
      stdout!.destroy();
      setTimeout(() => stdin!.end('{'), 100);
    });
    expect({ status, signal, stderr }).toEqual({ status: 1, signal: null, stderr: '' });
  });
});
