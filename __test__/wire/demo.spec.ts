import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { scenes } from '../../src/cli/wire-scenes.js';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Runs the demo as a user does. */
function demo(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'demo', '--wire', ...args],
    { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' }, timeout: 60_000 },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

const good = '{"path":"a.txt"}';
const cut = '{"paths":["build","cache"],"options":{"force":true,"dry_';
/** What is left when the open braces of `cut` are closed. */
const closed = '{"paths":["build","cache"],"options":{"force":true}}';
const cutMessage = [
  'The arguments for `delete_files` were not valid JSON ' +
    `(EOF while parsing a string at line 1 column ${cut.length}). Received: ${cut}`,
  'Call `delete_files` again with a single JSON object that matches its parameters.',
  'Nothing was run. Make a smaller call that fits the limit.',
].join('\n');

/** What a scene shows: each call as the client has it, and as argspan decides on it. */
interface Shown {
  readonly title: string;
  readonly format: string;
  readonly client: string;
  readonly made: readonly string[];
  readonly said: readonly string[];
}

/** A line of output. */
const row = (label: string, text: string): string => `  ${label.padEnd(20)}${text}`;
const message = cutMessage.split('\n').map((part) => row('', part));

const accepted = (repair: string, path = 'a.txt'): string =>
  `accepted (${repair}): read_file({"path":"${path}"})`;
const reported = 'reported (truncated), not run: delete_files';

const expected: readonly Shown[] = [
  {
    title: 'chat completions: a call that the token limit cut, beside a good one',
    format: 'openai-chat',
    client: 'openai',
    made: [`read_file(${good})`, `delete_files(${cut})`],
    said: [accepted('none'), reported],
  },
  {
    title: 'chat completions: two calls whose fragments take turns',
    format: 'openai-chat',
    client: 'openai',
    made: [`read_file(${good})`, 'read_file({"path":"b.txt"})'],
    said: [accepted('none'), accepted('none', 'b.txt')],
  },
  {
    title: 'chat completions: arguments in a Markdown fence',
    format: 'openai-chat',
    client: 'openai',
    made: [`read_file(\`\`\`json\n${good}\n\`\`\`)`],
    said: [accepted('fence')],
  },
  {
    title: 'messages: a call that the token limit cut, beside a good one',
    format: 'anthropic-messages',
    client: '@anthropic-ai/sdk',
    // The client completes what was cut, and it looks like a call that was meant so.
    made: [`read_file(${good})`, `delete_files(${closed})`],
    said: [accepted('none'), reported],
  },
  {
    title: 'responses: arguments that are encoded twice',
    format: 'openai-responses',
    client: 'openai',
    made: [`read_file(${JSON.stringify(good)})`],
    said: [accepted('double-encoding')],
  },
  {
    title: 'responses: a call that the token limit cut, beside a good one',
    format: 'openai-responses',
    client: 'openai',
    made: [`read_file(${good})`, `delete_files(${cut})`],
    said: [accepted('none'), reported],
  },
];

interface JsonScene {
  readonly type: string;
  readonly title: string;
  readonly format: string;
  readonly client: {
    readonly kind: string;
    readonly client: string;
    readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  };
  readonly calls: readonly {
    readonly name: string;
    readonly finished: boolean;
    readonly stopReason: string | null;
    readonly outcome: {
      readonly status: string;
      readonly repair?: string;
      readonly text?: string;
      readonly kind?: string;
      readonly message?: string;
    };
  }[];
}

describe('argspan demo --wire', () => {
  it('covers every scene that there is', () => {
    expect(scenes.map(({ title }) => title)).toEqual(expected.map(({ title }) => title));
  });

  it('shows what each client made of a call, and what argspan says', () => {
    const [head, ...blocks] = demo().split('\n\n');
    expect(head).toMatch(/^Responses that are streamed by servers on 127\.0\.0\.1, /);
    expect(blocks).toHaveLength(expected.length);
    for (const [place, { title, client, made, said }] of expected.entries()) {
      const lines = blocks[place]?.trimEnd().split('\n') ?? [];
      expect(lines).toEqual([
        title,
        // Line ends are shown, not written.
        ...made.map((call) => row(client, call.replaceAll('\n', String.raw`\n`))),
        ...said.flatMap((line) => {
          const told = row('argspan', line);
          return line === reported ? [told].concat(message) : told;
        }),
      ]);
    }
  });

  it('says the same as JSON', () => {
    const lines = demo('--json').trimEnd().split('\n');
    const played = lines.map((line) => JSON.parse(line) as JsonScene);
    const shown = played.map(({ title, format, client, calls }) => ({
      title,
      format,
      client: client.client,
      made: client.calls.map((call) => `${call.name}(${call.arguments})`),
      said: calls.map(({ name, outcome }) =>
        outcome.status === 'accepted'
          ? `accepted (${outcome.repair}): ${name}(${outcome.text})`
          : `reported (${outcome.kind}), not run: ${name}`,
      ),
    }));
    expect(shown).toEqual(expected);
    const cuts = played.flatMap(({ calls }) => calls.filter(({ name }) => name === 'delete_files'));
    expect(cuts.map(({ stopReason }) => stopReason)).toEqual([
      'length',
      'max_tokens',
      'max_output_tokens',
    ]);
    for (const { finished, outcome } of cuts) {
      expect(finished).toBe(false);
      expect(outcome.message).toBe(cutMessage);
    }
    expect(played.map(({ type, client }) => [type, client.kind])).toEqual(
      expected.map(() => ['scene', 'calls']),
    );
  });
});
