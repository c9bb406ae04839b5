import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { parametersOf } from '../src/cli/demo-text.js';
import type { OutputStream } from '../src/cli/io.js';
import { runProgram } from '../src/cli/program.js';
import { readRecordings, type Recording } from '../src/cli/recordings.js';
import { replay, type Replay } from '../src/cli/replay.js';
import { summarise, type Summary } from '../src/cli/summary.js';
import { widthOf } from '../src/cli/terminal.js';
import { check, parseToolArguments, type RuleRepair } from '../src/index.js';

const shipped = fileURLToPath(new URL('../demo/recordings.jsonl', import.meta.url));
const esc = '\u001B';
const recordings = readRecordings();
const replays = recordings.map(replay);

interface Result {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How often the program wrote. */
  readonly writes: number;
}

interface Surroundings {
  readonly columns?: number;
  readonly env?: Record<string, string>;
  /** After so many writes the reader is gone. */
  readonly readerLeavesAfter?: number;
}

async function demo(args: readonly string[], given: Surroundings = {}): Promise<Result> {
  let writes = 0;
  let stdout = '';
  let stderr = '';
  const out: OutputStream = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        writes += 1;
        if (writes > (given.readerLeavesAfter ?? Infinity)) {
          done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
          return;
        }
        stdout += chunk;
        done();
      },
    }),
    given.columns === undefined ? {} : { isTTY: true, columns: given.columns },
  );
  const err = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      stderr += chunk;
      done();
    },
  });
  const io = { stdin: Readable.from([]), stdout: out, stderr: err, env: given.env ?? {} };
  const status = await runProgram(['demo', ...args], io);
  return { status, stdout, stderr, writes };
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'argspan-demo-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fileOf(lines: readonly (object | string)[]): string {
  const location = path.join(folder, 'recordings.jsonl');
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(location, text.join('\n'));
  return location;
}

function recordingOf(fragments: readonly string[], stop: 'eos' | 'length' = 'eos'): Recording {
  return {
    id: 'x',
    model: 'm-1b',
    tool: 'read',
    fragments,
    stop,
    style: null,
    temperature: null,
    expected: null,
  };
}

function lineOf(fragments: readonly string[], stop: 'eos' | 'length' = 'eos'): object {
  return { ...recordingOf(fragments, stop), style: 'plain', temperature: 0.7 };
}

async function barOf(fragments: readonly string[], columns: number): Promise<string> {
  const { stdout } = await demo([fileOf([recordingOf(fragments)])], {
    columns,
    env: { NO_COLOR: '1' },
  });
  return /^ {2}stream {4}(.*)$/m.exec(stdout)![1]!;
}

const textOf = (recording: Recording): string => recording.fragments.join('');
const colours = new RegExp(String.raw`${esc}\[\d+m`, 'g');
const withoutColour = (text: string): string => text.replaceAll(colours, '');
const withoutTime = (text: string): string => text.replace(/^Scanned[^]*?each\.$/m, 'Scanned.');
const tableOf = (text: string): string => withoutTime(text.slice(text.indexOf('\nSummary')));
const titlesIn = (text: string): number => text.match(/^\d+\. /gm)?.length ?? 0;
const outcomesOf = (some: readonly Replay[]): string[] =>
  some.map(({ outcome }) => (outcome.status === 'accepted' ? outcome.repair : outcome.kind));

describe('the recordings that ship', () => {
  it('are at most 200 KB', () => {
    expect(statSync(shipped).size).toBeLessThanOrEqual(200_000);
  });

  it('are of both models, both stops, many tools, and hold a decision each', () => {
    expect(new Set(recordings.map(({ model }) => model))).toEqual(
      new Set(['gemma-3-270m-base-q4_k_m', 'smollm2-135m-instruct-q4_1']),
    );
    expect(new Set(recordings.map(({ stop }) => stop))).toEqual(new Set(['eos', 'length']));
    expect(new Set(recordings.map(({ tool }) => tool)).size).toBeGreaterThanOrEqual(12);
    expect(new Set(recordings.map(({ id }) => id)).size).toBe(recordings.length);
    expect(recordings.filter(({ expected }) => expected === null)).toEqual([]);
  });

  it('show each kind of outcome that the models gave, and so do the first dozen', () => {
    const all = ['none', 'prose', 'truncated', 'not-object', 'malformed'];
    expect(outcomesOf(replays)).toEqual(expect.arrayContaining(all));
    expect(outcomesOf(replays.slice(0, 12))).toEqual(expect.arrayContaining(all));
  });

  it('are decided by the text alone as recorded, message and value', () => {
    const words = { none: 'none', empty: 'none', fence: 'span', prose: 'span' };
    const repairs = { ...words, 'double-encoding': 'double-encoding' };
    for (const { recording, agrees } of replays) {
      const outcome = parseToolArguments(recording.tool, textOf(recording));
      const decision =
        outcome.status === 'reported'
          ? { status: outcome.status, message: outcome.message }
          : {
              status: outcome.status,
              repair: repairs[outcome.repair as RuleRepair],
              value: outcome.value,
            };
      expect(decision, recording.id).toEqual(recording.expected);
      expect(agrees, recording.id).toBe(true);
    }
  });
});

describe('a replay', () => {
  it('has the verdicts and savings that check() gives on every prefix', () => {
    for (const item of replays) {
      const { fragments, id } = item.recording;
      const verdicts = fragments.map(
        (_, index) => check(fragments.slice(0, index + 1).join('')).verdict,
      );

      const changes = verdicts.flatMap((verdict, index) =>
        verdict === (verdicts[index - 1] ?? 'empty') ? [] : [{ verdict, fragment: index + 1 }],
      );
      expect(
        item.changes.map(({ verdict, fragment }) => ({ verdict, fragment })),
        id,
      ).toEqual(changes);

      const dead = verdicts.indexOf('malformed');
      const rest = dead < 0 ? [] : fragments.slice(dead + 1);
      expect(item.hopeless?.fragment ?? 0, id).toBe(dead + 1);
      expect(item.saved, id).toEqual({
        fragments: rest.length,
        bytes: Buffer.byteLength(rest.join('')),
      });
      // What an abort gives up is lost in any case: that is the promise of `malformed`.
      const after = new Set(dead < 0 ? ['malformed'] : verdicts.slice(dead));
      expect(after, id).toEqual(new Set(['malformed']));
      expect(item.fragments, id).toBe(fragments.length);
      expect(item.bytes, id).toBe(Buffer.byteLength(fragments.join('')));
    }
  });

  it('has each change at the very byte that makes it', () => {
    for (const { recording, changes } of replays) {
      const text = Buffer.from(textOf(recording));
      for (const { verdict, byte } of changes) {
        expect(check(text.subarray(0, byte)).verdict, recording.id).toBe(verdict);
        expect(check(text.subarray(0, byte - 1)).verdict, recording.id).not.toBe(verdict);
      }
    }
  });

  it('has the outcome of the whole text with the stop signal', () => {
    for (const { recording, outcome, stop, known, objectStart } of replays) {
      const text = textOf(recording);
      expect(stop).toBe(recording.stop === 'length' ? 'length' : 'finished');
      expect(outcome, recording.id).toEqual(parseToolArguments(recording.tool, text, { stop }));

      const bytes = Buffer.from(text);
      expect(objectStart, recording.id).toBe(bytes.includes('{') ? bytes.indexOf('{') : null);
      if (outcome.status === 'accepted' && outcome.repair !== 'double-encoding') {
        const object = bytes.subarray(known!.span.start, known!.span.end).toString();
        expect(object, recording.id).toBe(outcome.text);
      }
    }
  });

  it('counts bytes, not characters', () => {
    const item = replay(recordingOf(['Ö: ', '{"ä', '":"🎉"', '} ü']));
    expect(item).toMatchObject({
      fragments: 4,
      bytes: 20,
      objectStart: 4,
      changes: [
        { verdict: 'incomplete', fragment: 1, byte: 2 },
        { verdict: 'complete', fragment: 4, byte: 17 },
      ],
      known: { span: { start: 4, end: 17 }, fragment: 4, byte: 17 },
      hopeless: null,
      saved: { fragments: 0, bytes: 0 },
      agrees: null,
    });
  });

  it('tells a surrogate pair that is cut between fragments', () => {
    const whole = replay(recordingOf(['{"a":"\u{1F389}"}']));
    const cut = replay(recordingOf(['{"a":"\uD83C', '\uDF89"}']));
    expect(cut.outcome).toEqual(whole.outcome);
    expect(cut.bytes).toBe(whole.bytes);
  });

  it('saves nothing where the last fragment made the call hopeless', () => {
    const item = replay(recordingOf(['{"a":1}', '}']));
    expect(item.changes.map(({ verdict }) => verdict)).toEqual(['complete', 'malformed']);
    expect(item.hopeless).toMatchObject({ fragment: 2, byte: 8 });
    expect(item.saved).toEqual({ fragments: 0, bytes: 0 });
  });

  it('takes no abort for granted while the call may still be accepted', () => {
    const { known, hopeless, saved } = replay(recordingOf(['{"a":1}', ' and', ' more']));
    expect(known).toEqual({ span: { start: 0, end: 7 }, fragment: 1, byte: 7 });
    expect(hopeless).toBeNull();
    expect(saved.fragments).toBe(0);
  });

  it('of nothing at all is the empty call, unless it was cut', () => {
    expect(replay(recordingOf([]))).toMatchObject({
      changes: [],
      outcome: { status: 'accepted', repair: 'empty' },
    });
    const cut = replay(recordingOf([' '], 'length'));
    expect(cut).toMatchObject({ changes: [], outcome: { status: 'reported', kind: 'truncated' } });
    expect(summarise([cut]).acceptableButCut).toBe(1);
  });
});

describe('argspan demo --json', () => {
  interface Call extends Omit<Replay, 'recording' | 'changes'> {
    readonly type: string;
    readonly id: string;
    readonly model: string;
    readonly verdicts: Replay['changes'];
  }

  it('prints a line for the source, one a call, and a summary of just those', async () => {
    const { status, stdout, stderr } = await demo(['--json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/\n$/);
    const lines = stdout.trimEnd().split('\n');
    const [source, ...rest] = lines.map((line) => JSON.parse(line) as { type: string });
    const summary = rest.pop() as unknown as Summary & {
      type: string;
      scanMilliseconds: number;
      models: Record<string, Summary>;
    };
    const calls = rest as unknown as Call[];

    expect(source).toEqual({
      type: 'source',
      recordings: recordings.length,
      models: [
        { name: 'gemma-3-270m-base-q4_k_m', parameters: '270M' },
        { name: 'smollm2-135m-instruct-q4_1', parameters: '135M' },
      ],
    });
    expect(calls.map(({ type, id }) => ({ type, id }))).toEqual(
      recordings.map(({ id }) => ({ type: 'call', id })),
    );
    expect(summary.type).toBe('summary');

    // Counted here once more, from what the lines say.
    const total = (value: (call: Call) => number, from = calls): number =>
      from.reduce((sum, call) => sum + value(call), 0);
    const count = (holds: (call: Call) => boolean): number => calls.filter(holds).length;
    const { fragments, bytes, saved } = summary;
    expect(fragments).toBe(total((call) => call.fragments));
    expect(bytes).toBe(total((call) => call.bytes));
    expect(saved.fragments).toBe(total((call) => call.saved.fragments));
    expect(saved.bytes).toBe(total((call) => call.saved.bytes));
    expect(saved.fragmentsShare).toBe(saved.fragments / fragments);
    expect(saved.bytesShare).toBe(saved.bytes / bytes);
    expect(summary.hopeless).toBe(count((call) => call.hopeless !== null));
    expect(summary.agreed).toBe(count((call) => call.agrees === true));
    expect(summary.agreed).toBe(recordings.length);
    const { total: accepted, ...byRepair } = summary.accepted;
    const { total: reported, ...byKind } = summary.reported;
    expect(accepted + reported).toBe(calls.length);
    for (const [repair, number] of Object.entries(byRepair)) {
      expect(number).toBe(
        count(({ outcome }) => outcome.status === 'accepted' && outcome.repair === repair),
      );
    }
    for (const [kind, number] of Object.entries(byKind)) {
      expect(number).toBe(
        count(({ outcome }) => outcome.status === 'reported' && outcome.kind === kind),
      );
    }
    expect(summary.acceptableButCut).toBe(
      count(
        ({ outcome, stop, verdicts }) =>
          outcome.status === 'reported' &&
          stop === 'length' &&
          verdicts.at(-1)!.verdict === 'complete',
      ),
    );
    expect(summary.scanMilliseconds).toBeGreaterThan(0);
    for (const [model, own] of Object.entries(summary.models)) {
      const ours = calls.filter((call) => call.model === model);
      expect(own.recordings).toBe(ours.length);
      expect(own.saved.fragments).toBe(total((call) => call.saved.fragments, ours));
    }
  });

  it('holds no character that could drive a terminal', async () => {
    const file = fileOf([recordingOf([`{"a":"\u009B2J\u202E"}`, `${esc}[2J\u2028`])]);
    const { stdout } = await demo(['--json', file]);
    expect(stdout).toMatch(/^[ -~\n]*$/);
    expect(stdout.split('\n').length).toBe(4);
    expect(JSON.parse(stdout.split('\n')[1]!)).toMatchObject({
      outcome: { status: 'accepted', value: { a: '\u009B2J\u202E' } },
    });
  });
});

describe('argspan demo as text', () => {
  it('shows a dozen calls and a table over all of them, or every call', async () => {
    const { status, stdout, stderr } = await demo([]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n')[0]).toBe(
      `${recordings.length} recorded tool calls of gemma-3-270m-base-q4_k_m (270M parameters) and smollm2-135m-instruct-q4_1 (135M parameters), replayed a fragment (a token) at a time.`,
    );
    expect(titlesIn(stdout)).toBe(12);
    const { stdout: all } = await demo(['--all']);
    expect(titlesIn(all)).toBe(recordings.length);
    expect(tableOf(all)).toBe(tableOf(stdout));
    const number = recordings.length.toLocaleString('en-US');
    expect(stdout).toContain(
      `\n${number} of ${number} decisions by the text alone are those recorded with the calls.\n`,
    );
  });

  it('is plain lines for a pipe', async () => {
    const { stdout } = await demo(['--all']);
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(stdout).not.toContain('→');
    expect(stdout).not.toMatch(/[ \t]$/m);
  });

  it('says exactly this about a small file', async () => {
    const file = fileOf([
      lineOf(['{"pa', 'th":"a', '.rs"}']),
      lineOf(["{'", 'path', "'", ':1}'], 'length'),
      lineOf(['Ok: {"a":[', '"b'], 'length'),
      lineOf(['{"a":1}', ' '], 'length'),
      lineOf(['no ', 'idea\n\u0007']),
      lineOf(['{"a":1}', '}']),
      lineOf([]),
      { ...lineOf(['[1]']), message: 'another one' },
      '',
    ]);
    const { stdout } = await demo([file]);
    expect(stdout.replace(/^Scanned in \d+\.\d\d ms, \d+\.\d\d us/m, 'Scanned in T ms, T us')).toBe(
      `8 recorded tool calls of m-1b (1B parameters), replayed a fragment (a token) at a time.
Control characters are shown escaped; bytes are counted from the start of the arguments.

1. read (m-1b, prompted plain, temperature 0.7)
  text      {"path":"a.rs"}
  stream    3 fragments, 15 bytes, ended by the model
  verdict   incomplete at byte 1, fragment 1 -> complete at byte 15, fragment 3
  object    bytes 0 to 15, known at byte 15, fragment 3 of 3
  decision  accepted, as it is

2. read (m-1b, prompted plain, temperature 0.7)
  text      {'path':1}
  stream    4 fragments, 10 bytes, cut off by the token limit
  verdict   malformed at byte 2, fragment 1
  hopeless  at byte 2, fragment 1: an abort there saves 3 of 4 fragments (75.0 %), 8 of 10 bytes
  decision  reported, kind: malformed
  message   The arguments for \`read\` were not valid JSON (key must be a string at line 1 column 2). Received: {'path':1}
            Call \`read\` again with a single JSON object that matches its parameters.

3. read (m-1b, prompted plain, temperature 0.7)
  text      Ok: {"a":["b
  stream    2 fragments, 12 bytes, cut off by the token limit
  verdict   incomplete at byte 1, fragment 1
  object    from byte 4, not closed: the text ends 2 levels deep, inside a string
  decision  reported, kind: truncated
  message   The arguments for \`read\` were not valid JSON (expected value at line 1 column 1). Received: Ok: {"a":["b
            Call \`read\` again with a single JSON object that matches its parameters.
            Nothing was run. Make a smaller call that fits the limit.

4. read (m-1b, prompted plain, temperature 0.7)
  text      {"a":1}
  stream    2 fragments, 8 bytes, cut off by the token limit
  verdict   complete at byte 7, fragment 1
  object    bytes 0 to 7, known at byte 7, fragment 1 of 2
  decision  reported, kind: truncated
  message   The arguments for \`read\` were not complete (the output was cut off by the token limit). Received: {"a":1}
            Call \`read\` again with a single JSON object that matches its parameters.
            Nothing was run. Make a smaller call that fits the limit.

5. read (m-1b, prompted plain, temperature 0.7)
  text      no idea\\n\\u0007
  stream    2 fragments, 9 bytes, ended by the model
  verdict   incomplete at byte 1, fragment 1
  object    none: there is no { in the text
  decision  reported, kind: malformed
  message   The arguments for \`read\` were not valid JSON (expected ident at line 1 column 2). Received: no idea\\n\\u0007
            Call \`read\` again with a single JSON object that matches its parameters.

6. read (m-1b, prompted plain, temperature 0.7)
  text      {"a":1}}
  stream    2 fragments, 8 bytes, ended by the model
  verdict   complete at byte 7, fragment 1 -> malformed at byte 8, fragment 2
  hopeless  at byte 8, fragment 2: nothing was left to save
  decision  reported, kind: malformed
  message   The arguments for \`read\` were not valid JSON (trailing characters at line 1 column 8). Received: {"a":1}}
            Call \`read\` again with a single JSON object that matches its parameters.

7. read (m-1b, prompted plain, temperature 0.7)
  text
  stream    0 fragments, 0 bytes, ended by the model
  verdict   empty at byte 0, fragment 0
  object    none: there is no { in the text
  decision  accepted, repair: empty

8. read (m-1b, prompted plain, temperature 0.7)
  text      [1]
  stream    1 fragment, 3 bytes, ended by the model
  verdict   incomplete at byte 1, fragment 1
  object    none: there is no { in the text
  decision  reported, kind: not-object
  message   The arguments for \`read\` were not valid JSON (expected a JSON object). Received: [1]
            Call \`read\` again with a single JSON object that matches its parameters.
            not the recorded decision

Summary                            all
--------------------------------------
calls                                8
accepted                             2
  as it is                           1
  empty                              1
reported                             6
  truncated                          2
  not-object                         1
  malformed                          3
acceptable text, but cut off         1
hopeless                             2
fragments generated                 16
  saved by an abort                  3
  share                         18.8 %
bytes generated                     65
  saved by an abort                  8
  share                         12.3 %
--------------------------------------
Scanned in T ms, T us a fragment, the verdict read after each.
0 of 1 decisions by the text alone are those recorded with the calls.
`,
    );
  });

  it.each([40, 57, 80, 120, 300])('fits a terminal of %d columns', async (columns) => {
    const { stdout } = await demo(['--all'], { columns });
    for (const line of withoutColour(stdout).split('\n')) {
      expect(widthOf(line)).toBeLessThanOrEqual(Math.max(columns, 40));
      expect(line).not.toMatch(/\p{Cc}|\p{Cf}/u);
    }
    expect(stdout).toContain(`${esc}[32m`);
    const { stdout: plain } = await demo(['--all'], { columns, env: { NO_COLOR: '1' } });
    expect(plain).not.toContain(esc);
    expect(withoutTime(plain)).toBe(withoutTime(withoutColour(stdout)));
  });

  it('draws the stream as its verdicts, a cell for the fragments that fit', async () => {
    expect(await barOf([' ', '{', '"a":1', '}', '.', '}', '!'], 80)).toBe('·──━━××');
    const long = [' ', ...Array.from({ length: 99 }, (_, index) => (index < 50 ? 'x' : '{x'))];
    const cells = await barOf(long, 80);
    expect(cells).toMatch(/^─{24}×{24}$/);
  });

  it('lets no recording drive the terminal', async () => {
    const hostile = `${esc}]0;owned\u0007${esc}[2J\r\b\u009B1A\u202E\u200B\u2028\n`;
    const file = fileOf([
      {
        id: hostile,
        model: hostile,
        tool: hostile,
        style: hostile,
        stop: 'eos',
        fragments: [`${hostile}{"a`, hostile, '\uD800'],
        message: hostile,
      },
    ]);
    for (const columns of [40, 80]) {
      const { stdout } = await demo([file], { columns });
      expect(withoutColour(stdout)).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }
    const { stdout } = await demo([file]);
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    expect(stdout).toContain(String.raw`\u001b]0;owned\u0007\u001b[2J\r\u0008\u009b1A\u202e`);
  });

  it('stops when the reader goes away', async () => {
    const { status, stderr, writes } = await demo(['--all'], { readerLeavesAfter: 3 });
    expect({ status, stderr, writes }).toEqual({ status: 0, stderr: '', writes: 4 });
  });
});

describe('a file of recordings that is none', () => {
  const good = recordingOf(['{}']);
  it.each([
    [['{'], ':1: not JSON'],
    [['null'], ':1: not an object'],
    [['', { ...good, id: 7 }], ':2: "id" is not a string'],
    [[good, { ...good, tool: undefined }], ':2: "tool" is not a string'],
    [[{ ...good, model: null }], ':1: "model" is not a string'],
    [[{ ...good, fragments: '{}' }], ':1: "fragments" is not an array of strings'],
    [[{ ...good, fragments: ['{', 1] }], ':1: "fragments" is not an array of strings'],
    [[{ ...good, stop: 'end' }], ':1: "stop" is neither "eos" nor "length"'],
  ])('%j', async (lines, complaint) => {
    const file = fileOf(lines);
    expect(await demo([file])).toEqual({
      status: 2,
      stdout: '',
      stderr: `argspan demo: ${file}${complaint}\n`,
      writes: 0,
    });
  });

  it('is told when it is empty', async () => {
    const file = fileOf(['', ' ']);
    expect((await demo([file])).stderr).toBe(`argspan demo: "${file}" holds no recordings\n`);
  });
});

it('reads a size from the name of a model', () => {
  expect(parametersOf('gemma-3-270m-base-q4_k_m')).toBe('270M');
  expect(parametersOf('llama-3.2-1.5b')).toBe('1.5B');
  expect(parametersOf('model-x4_k_m')).toBeNull();
});

it('keeps the shipped file in the form it was written in', () => {
  for (const line of readFileSync(shipped, 'utf8').trimEnd().split('\n')) {
    expect(JSON.stringify(JSON.parse(line))).toBe(line);
  }
});
