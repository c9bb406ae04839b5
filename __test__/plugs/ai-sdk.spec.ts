// `argspan/ai-sdk` inside both versions of the AI SDK: what runs, and what the model is told.

import {
  generateText as generate7,
  jsonSchema,
  stepCountIs as steps7,
  streamText as stream7,
} from 'ai';
import { generateText as generate6, stepCountIs as steps6, streamText as stream6 } from 'ai-6';
import type { ToolCallRepairFunction as Repair6, ToolSet as Tools6 } from 'ai-6';
import { MockLanguageModelV3 as Model6, simulateReadableStream } from 'ai-6/test';
import type { ToolCallRepairFunction as Repair7, ToolSet as Tools7 } from 'ai';
import { MockLanguageModelV4 as Model7 } from 'ai/test';
import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createRepairToolCall, repairToolCall } from '../../src/ai-sdk/index.js';
import type { RepairToolCall } from '../../src/ai-sdk/index.js';

// Both versions take it as it is: a type error here is a failed test of `npm run check:types`.
void ((await Promise.resolve(repairToolCall)) satisfies Repair6<Tools6>);
void ((await Promise.resolve(repairToolCall)) satisfies Repair7<Tools7>);

type Finish = 'tool-calls' | 'length' | 'stop';

interface Asked {
  /** What ran, in its order. */
  readonly ran: unknown[];
  /** What the model was told as the result of its call; `null` where it was not asked again. */
  readonly told: string | null;
  /** The arguments that the history holds. */
  readonly history: unknown;
}

interface Given {
  readonly input: string;
  readonly toolName?: string;
  readonly finish?: Finish;
  readonly repair?: RepairToolCall;
  readonly inputSchema?: unknown;
  readonly tools?: Readonly<Record<string, unknown>>;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const pathSchema = z.strictObject({ path: z.string() });

/** Makes the same call through one way of one version. */
async function ask(way: (typeof ways)[number], given: Given): Promise<Asked> {
  const { input, toolName = 'read', finish = 'tool-calls', repair = repairToolCall } = given;
  const ran: unknown[] = [];
  const tools = given.tools ?? {
    read: {
      description: 'Reads a file.',
      inputSchema: given.inputSchema ?? pathSchema,
      execute: (value: unknown) => {
        ran.push(value);
        return 'the text';
      },
    },
  };
  const call = { type: 'tool-call', toolCallId: 'call_1', toolName, input } as const;
  const answers = [
    [[call], finish],
    [[{ type: 'text', text: 'done' }], 'stop'],
  ] as const;
  const model = way.model(answers);
  await way.run({ model, tools, repair });
  const [, second] = [...model.doGenerateCalls, ...model.doStreamCalls];
  const messages = (second?.prompt ?? []) as readonly {
    role: string;
    content: readonly { input?: unknown; output?: { value: unknown } }[];
  }[];
  const told = messages.find(({ role }) => role === 'tool')?.content[0]?.output?.value;
  return {
    ran,
    told: typeof told === 'string' ? told : null,
    history: messages.find(({ role }) => role === 'assistant')?.content[0]?.input,
  };
}

type Answers = readonly (readonly [readonly { readonly type: string }[], Finish])[];

interface Model {
  readonly doGenerateCalls: readonly { readonly prompt: unknown }[];
  readonly doStreamCalls: readonly { readonly prompt: unknown }[];
}

function modelOf(Kind: typeof Model6 | typeof Model7) {
  return (answers: Answers): Model => {
    const wholes = answers.map(([content, unified]) => ({
      content,
      finishReason: { unified, raw: unified },
      usage,
      warnings: [],
    }));
    const streams = answers.map(([content, unified]) => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          ...content.flatMap((part) =>
            part.type === 'text'
              ? [
                  { type: 'text-start', id: '0' },
                  { type: 'text-delta', id: '0', delta: 'done' },
                  { type: 'text-end', id: '0' },
                ]
              : [part],
          ),
          { type: 'finish', finishReason: { unified, raw: unified }, usage },
        ],
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    }));
    let whole = 0;
    let streamed = 0;
    const Any = Kind as unknown as new (behaviour: object) => Model;
    return new Any({
      doGenerate: () => Promise.resolve(wholes[whole++]),
      doStream: () => Promise.resolve(streams[streamed++]),
    });
  };
}

interface Run {
  readonly model: Model;
  readonly tools: object;
  readonly repair: RepairToolCall;
}

const prompt = 'Read a.txt';
/** Version 7 writes the error's name before its words, 6 the words alone. */
const before = 'AI_InvalidToolInputError: ';
const ways = [
  {
    name: 'ai 7, generateText',
    before,
    model: modelOf(Model7),
    run: async ({ model, tools, repair }: Run) => {
      const settings = { model, tools, prompt, stopWhen: steps7(2), repairToolCall: repair };
      await generate7(settings as never);
    },
  },
  {
    name: 'ai 7, streamText',
    before,
    model: modelOf(Model7),
    run: async ({ model, tools, repair }: Run) => {
      const settings = { model, tools, prompt, stopWhen: steps7(2), repairToolCall: repair };
      await stream7(settings as never).consumeStream();
    },
  },
  {
    name: 'ai 6, generateText',
    before: '',
    model: modelOf(Model6),
    run: async ({ model, tools, repair }: Run) => {
      const experimental = { experimental_repairToolCall: repair };
      await generate6({ model, tools, prompt, stopWhen: steps6(2), ...experimental } as never);
    },
  },
  {
    name: 'ai 6, streamText',
    before: '',
    model: modelOf(Model6),
    run: async ({ model, tools, repair }: Run) => {
      const experimental = { experimental_repairToolCall: repair };
      const result = stream6({
        model,
        tools,
        prompt,
        stopWhen: steps6(2),
        ...experimental,
      } as never);
      await result.consumeStream();
    },
  },
] as const;

const again = 'Call `read` again with a single JSON object that matches its parameters';

describe.each(ways)('$name', (way) => {
  it.each([
    ['as it should be', '{"path": "a.txt"}'],
    ['a fence', '```json\n{"path": "a.txt"}\n```'],
    ['prose', 'Let me look: {"path": "a.txt"}'],
    ['double encoding', '"{\\"path\\": \\"a.txt\\"}"'],
  ])('runs: %s', async (_, input) => {
    const { ran, told, history } = await ask(way, { input });
    expect(ran).toEqual([{ path: 'a.txt' }]);
    expect(told).toBe('the text');
    expect(history).toEqual({ path: 'a.txt' });
  });

  it.each([
    [
      'cut off',
      '{"path": "a.t',
      'The arguments for `read` were not valid JSON (EOF while parsing a string at line 1 column 13). Received: {"path": "a.t',
    ],
    [
      'cut off in its fence',
      '```json\n{"path": "a.t',
      'The arguments for `read` were not valid JSON (expected value at line 1 column 1). Received: ```json\n{"path": "a.t',
    ],
    [
      'malformed',
      "{'path': 'a.txt'}",
      "The arguments for `read` were not valid JSON (key must be a string at line 1 column 2). Received: {'path': 'a.txt'}",
    ],
    [
      'two objects',
      '{"path": "a"}{"path": "b"}',
      'The arguments for `read` were not valid JSON (trailing characters at line 1 column 14). Received: {"path": "a"}{"path": "b"}',
    ],
    [
      'not an object',
      '["a.txt"]',
      'The arguments for `read` were not valid JSON (expected a JSON object). Received: ["a.txt"]',
    ],
    [
      'another shape',
      '{"path": 1}',
      'The arguments for `read` do not match its parameters (/path: Invalid input: expected string, received number, got 1). Received: {"path": 1}',
    ],
    [
      'another shape, in prose',
      'Sure: {"file": "a.txt"}',
      'The arguments for `read` do not match its parameters (/path: Invalid input: expected string, received undefined, got nothing; (root): Unrecognized key: "file", got an object). Received: {"file": "a.txt"}',
    ],
    [
      'no arguments where there must be some',
      '',
      'The arguments for `read` do not match its parameters (/path: Invalid input: expected string, received undefined, got nothing). Received: {}',
    ],
    [
      'a key that reaches a prototype',
      '{"__proto__": {"path": "a.txt"}}',
      'The arguments for `read` hold the key `__proto__` (/__proto__), which is not allowed.',
    ],
    [
      'a key that reaches a prototype, in prose',
      'Sure: {"path": "a.txt", "__proto__": {}}',
      'The arguments for `read` hold the key `__proto__` (/__proto__), which is not allowed.',
    ],
  ])('does not run, and the model is told why: %s', async (_, input, first) => {
    const { ran, told } = await ask(way, { input });
    expect(ran).toEqual([]);
    expect(told?.startsWith(`${way.before}${first}\n${again}`), told ?? '').toBe(true);
  });

  it('what stands in the history of a call that was cut off can be sent again', async () => {
    const { history } = await ask(way, { input: '{"path": "a.t' });
    expect(history).toEqual({});
  });

  it.each([
    ['whole', '{"path": "a.txt"}'],
    ['in prose', 'Sure: {"path": "a.txt"}'],
    ['not whole', '{"path": "a.t'],
  ])('nothing runs where the output was cut off: %s', async (_, input) => {
    const { ran } = await ask(way, { input, finish: 'length' });
    expect(ran).toEqual([]);
  });

  it('the echo is capped, and the limit can be chosen', async () => {
    const input = `{"path": "${'secret '.repeat(300)}`;
    const standard = await ask(way, { input });
    expect(standard.told?.length).toBeLessThan(800);
    const silent = await ask(way, { input, repair: createRepairToolCall({ echoLimit: 0 }) });
    expect(silent.told).not.toContain('secret');
    const mismatch = await ask(way, {
      input: '{"path": "a", "token": "secret"}',
      repair: createRepairToolCall({ echoLimit: 0 }),
    });
    expect(mismatch.told).toContain('do not match its parameters');
    expect(mismatch.told).not.toContain('secret');
  });

  it('the schema is shown, as the provider has it', async () => {
    const { told } = await ask(way, { input: '{}' });
    expect(told).toMatch(/matches its parameters: \{.*"path":\{"type":"string"\}/);
  });

  it('the name of a tool that does not exist is not touched', async () => {
    const { ran, told } = await ask(way, { input: '{"path": "a.txt"}', toolName: 'raed' });
    expect(ran).toEqual([]);
    expect(told).toMatch(/unavailable tool 'raed'\. Available tools: read/);
  });

  it('a tool whose input is no object is left to the SDK', async () => {
    const { ran, told } = await ask(way, { input: '5', inputSchema: z.string() });
    expect(ran).toEqual([]);
    expect(told).not.toContain('a single JSON object');
  });

  it('another kind of Standard Schema', async () => {
    const inputSchema = type({ path: 'string', '+': 'reject' });
    expect((await ask(way, { input: 'Sure: {"path": "a"}', inputSchema })).ran).toEqual([
      { path: 'a' },
    ]);
    const { ran, told } = await ask(way, { input: '{"path": 1}', inputSchema });
    expect(ran).toEqual([]);
    expect(told).toContain('/path: path must be a string (was a number), got 1');
  });

  it.each([
    ['an error', () => ({ success: false, error: new Error('a path is needed') })],
    [
      'a throw',
      () => {
        throw new Error('a path is needed');
      },
    ],
  ])("a schema of the SDK's own that answers with %s", async (_, validate) => {
    const inputSchema = jsonSchema({ type: 'object' }, { validate: validate as never });
    for (const input of ['{"file": 1}', 'Sure: {"file": 1}']) {
      const { ran, told } = await ask(way, { input, inputSchema });
      expect(ran).toEqual([]);
      expect(told).toContain('(root): a path is needed, got an object');
    }
  });
});

describe('without the SDK', () => {
  const error = () => Object.assign(new Error('old'), { name: 'AI_InvalidToolInputError' });
  const inputSchema = () => Promise.reject(new Error('it has no JSON'));

  it('keeps whatever else stands in the call', async () => {
    const toolCall = {
      type: 'tool-call',
      toolName: 'a',
      input: 'x {}',
      providerMetadata: { a: 1 },
    };
    const repaired = await repairToolCall({ toolCall, tools: {}, inputSchema, error: error() });
    expect(repaired).toEqual({ ...toolCall, input: '{}' });
    expect(toolCall.input).toBe('x {}');
  });

  it('leaves what the provider runs itself, and other errors', async () => {
    const toolCall = { toolName: 'a', input: 'x {}', providerExecuted: true };
    const first = error();
    expect(await repairToolCall({ toolCall, tools: {}, inputSchema, error: first })).toBeNull();
    expect(first.message).toBe('old');
    const other = new Error('old');
    const own = { toolName: 'a', input: 'x {}' };
    expect(
      await repairToolCall({ toolCall: own, tools: {}, inputSchema, error: other }),
    ).toBeNull();
    expect(other.message).toBe('old');
  });

  it('a tool called as a member of every object is no tool', async () => {
    const toolCall = { toolName: 'constructor', input: 'x {}' };
    const failed = { toolCall, tools: {}, inputSchema, error: error() };
    expect(await repairToolCall(failed)).toEqual({ ...toolCall, input: '{}' });
  });

  it.each([
    [{ echoLimit: '1' }, TypeError, 'options.echoLimit must be a number (got a string)'],
    [{ echoLimit: -1 }, RangeError, 'options.echoLimit'],
    [null, TypeError, 'options must be an object (got null)'],
  ])('refuses wrong options: %j', (options, Kind, message) => {
    expect(() => createRepairToolCall(options as never)).toThrow(Kind);
    expect(() => createRepairToolCall(options as never)).toThrow(message);
  });
});
