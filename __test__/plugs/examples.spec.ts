// The programs of docs/examples.md, run as they stand against servers on the loopback interface: only
// the address is another one.

import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import Anthropic from '@anthropic-ai/sdk';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { examplesInMarkdown, prepare, run } from '../support/examples.js';
import { type Provider, type Script, provide } from '../support/server.js';
import { chatChunk, entry, eventOf, streamOf } from '../support/wire.js';

const page = 'docs/examples.md';
const address = 'http://127.0.0.1:8080';
const examples = examplesInMarkdown(page);
const msPerExample = 30_000;

/** The one example that imports a package. */
function exampleOf(text: string) {
  const [found, ...others] = examples.filter(({ code }) => code.includes(text));
  expect(others, text).toEqual([]);
  expect(found?.code, text).toContain(address);
  expect(prepare(found!.code).assertions.length).toBeGreaterThan(1);
  return found!;
}

/** Runs an example with the provider's address; returns what the provider was asked. */
async function runWith(text: string, scripts: readonly Script[]): Promise<Provider['requests']> {
  await using provider = await provide(scripts);
  const example = exampleOf(text);
  await run({ ...example, code: example.code.replaceAll(address, provider.url) });
  return provider.requests;
}

const json = (body: unknown): Script => ({
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify(body)],
});

/** A chat completion with a call or with text. */
function completion(said: { text: string } | { arguments: string }, reason: string): Script {
  const message =
    'text' in said
      ? { role: 'assistant', content: said.text }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read', ...said } }],
        };
  const choices = [{ index: 0, message, finish_reason: reason, logprobs: null }];
  return json({ id: 'c', object: 'chat.completion', created: 1, model: 'small', choices });
}

const fenced = '```json\n{"path": "a.txt"}\n```';
const messagesOf = (body: unknown) =>
  (body as { messages: { role: string; content: unknown }[] }).messages;

describe(page, () => {
  it(
    'openai',
    async () => {
      const requests = await runWith("from 'openai'", [
        completion({ arguments: '{"path": "a.t' }, 'length'),
        completion({ arguments: fenced }, 'tool_calls'),
        completion({ text: 'It is empty.' }, 'stop'),
      ]);
      expect(requests).toHaveLength(3);
      const [, report] = messagesOf(requests[1]?.body).slice(-2);
      expect(report).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
      expect(report?.content).toContain('were not valid JSON (EOF while parsing a string');
      // What was broken does not stand in the history.
      expect(JSON.stringify(messagesOf(requests[2]?.body))).toContain('INVALID_JSON');
    },
    msPerExample,
  );

  it(
    'anthropic',
    async () => {
      const events: readonly (readonly [string, object])[] = [
        [
          'message_start',
          {
            message: {
              id: 'm',
              type: 'message',
              role: 'assistant',
              content: [],
              model: 'small',
              stop_reason: null,
              stop_sequence: null,
              usage: { input_tokens: 1, output_tokens: 1 },
            },
          },
        ],
        [
          'content_block_start',
          {
            index: 0,
            content_block: { type: 'tool_use', id: 'toolu_1', name: 'delete_files', input: {} },
          },
        ],
        [
          'content_block_delta',
          {
            index: 0,
            delta: { type: 'input_json_delta', partial_json: '{"paths": ["a.txt"], "ke' },
          },
        ],
        ['content_block_stop', { index: 0 }],
        [
          'message_delta',
          {
            delta: { stop_reason: 'max_tokens', stop_sequence: null },
            usage: { output_tokens: 20 },
          },
        ],
        ['message_stop', {}],
      ];
      const cut: Script = {
        chunks: events.map(([type, rest]) => eventOf({ type, ...rest }, type)),
      };
      await using provider = await provide([cut]);
      const client = new Anthropic({ baseURL: provider.url, apiKey: 'none', maxRetries: 0 });
      const request = { model: 'small', max_tokens: 20, messages: [] };
      const message = await client.messages.stream(request).finalMessage();
      expect(message.content).toMatchObject([{ input: { paths: ['a.txt'] } }]);

      const requests = await runWith("from '@anthropic-ai/sdk'", [
        cut,
        json({
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'small',
          content: [{ type: 'text', text: 'I see.' }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        }),
      ]);
      expect(requests).toHaveLength(2);
      expect(messagesOf(requests[1]?.body).at(-1)).toMatchObject({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true }],
      });
    },
    msPerExample,
  );

  it(
    'the AI SDK',
    async () => {
      const requests = await runWith("from 'argspan/ai-sdk'", [
        completion({ arguments: "{'path': 'a.txt'}" }, 'tool_calls'),
        completion({ arguments: fenced }, 'tool_calls'),
        completion({ text: 'It is empty.' }, 'stop'),
      ]);
      expect(requests).toHaveLength(3);
      expect(messagesOf(requests[1]?.body).at(-1)?.content).toContain(
        'Call `read` again with a single JSON object that matches its parameters.',
      );
    },
    msPerExample,
  );

  it(
    'an MCP client',
    async () => {
      const called: unknown[] = [];
      const server = await serveMcp(called);
      const { port } = server.address() as AddressInfo;
      try {
        const example = exampleOf("from '@modelcontextprotocol/sdk/client/index.js'");
        const code = example.code.replaceAll(address, `http://127.0.0.1:${port}`);
        await run({ ...example, code });
      } finally {
        server.closeAllConnections();
        server.close();
      }
      expect(called).toEqual([{ a: 2, b: 3 }]);
    },
    msPerExample,
  );

  it(
    'a gateway on Fastify',
    async () => {
      const start = entry(0, { id: 'call_1', name: 'read', text: '{"path": ' });
      const good = [
        streamOf(chatChunk([start])),
        streamOf(chatChunk([entry(0, { text: '"a.txt"}' })])),
        streamOf(chatChunk([], 'tool_calls'), '[DONE]'),
      ];
      const hopeless = [
        streamOf(chatChunk([start])),
        ...Array.from({ length: 20_000 }, () => streamOf(chatChunk([entry(0, { text: "'a" })]))),
      ];
      const requests = await runWith("from 'fastify'", [{ chunks: good }, { chunks: hopeless }]);
      expect(requests.map(({ body }) => body)).toEqual(
        Array.from({ length: 2 }, () => ({ model: 'small', stream: true, messages: [] })),
      );
    },
    msPerExample,
  );

  it(
    'a plain fetch',
    async () => {
      const call = entry(0, { id: 'call_1', name: 'read', text: 'Sure: {"path": "a.txt"}' });
      const chunks = [streamOf(chatChunk([call])), streamOf(chatChunk([], 'tool_calls'), '[DONE]')];
      const requests = await runWith("import { watchFetch } from 'argspan/wire'", [{ chunks }]);
      expect(requests).toHaveLength(1);
    },
    msPerExample,
  );

  it('every program on the page is run here', () => {
    expect(examples).toHaveLength(6);
  });
});

/** An MCP server with one tool, which keeps what it was called with. */
async function serveMcp(called: unknown[]): Promise<Server> {
  const server = createServer((request, response) => {
    const mcp = new McpServer({ name: 'sums', version: '1.0.0' });
    mcp.registerTool(
      'add',
      {
        description: 'Adds two numbers. Call this for every sum.',
        inputSchema: {
          a: z.number().describe('The first number'),
          b: z.number().describe('The second number'),
        },
      },
      (input) => {
        called.push(input);
        return { content: [{ type: 'text', text: String(input.a + input.b) }] };
      },
    );
    // Without sessions: one transport a request.
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on('close', () => {
      void transport.close();
      void mcp.close();
    });
    void mcp.connect(transport).then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}
