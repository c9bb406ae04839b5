// The seed of the project through `gate.run`: a provider streams a call that was cut off, an agent
// on the official client gets the report, the tool never runs, nobody is asked to approve it, the
// good call beside it runs, a user sees the failed call with the same message, and the provider
// gets that message in the next request, which is valid for its wire.

import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { describe, expect, test } from 'vitest';

import { createGate, toHistory, toToolResult } from '../../src/gate/index.js';
import type { ToolCall } from '../../src/wire/index.js';
import {
  anthropicClients,
  askChat,
  askMessages,
  askResponses,
  chatScripts,
  cutMessage,
  cutText,
  goodText,
  messagesScripts,
  openaiClients,
  responsesScripts,
  watching,
} from '../support/loop.js';
import { provide } from '../support/server.js';

const path = { type: 'string' } as const;
const gate = createGate([
  {
    name: 'read_file',
    parameters: { type: 'object', properties: { path }, required: ['path'] },
  },
  {
    name: 'write_file',
    parameters: {
      type: 'object',
      properties: { path, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
]);

/** Runs the calls of a turn as an agent does, and checks what happened on the way. */
async function runTurn(calls: readonly ToolCall[]) {
  const approved: string[] = [];
  const ran: string[] = [];
  const shown: string[] = [];
  const results = await gate.run(calls, {
    handlers: {
      read_file: ({ path: given }) => {
        ran.push(`read_file ${given}`);
        return 'text';
      },
      write_file: ({ path: given }) => {
        ran.push(`write_file ${given}`);
      },
    },
    readOnly: ({ name }) => name === 'read_file',
    approve: ({ name, text }) => approved.push(`${name} ${text}`) > 0,
    onUpdate: ({ name, status, content }) => {
      if (status !== 'running') {
        shown.push(`${name} ${status} ${content}`);
      }
    },
  });
  expect(approved).toEqual([`read_file ${goodText}`]);
  expect(ran).toEqual(['read_file a.txt']);
  expect(shown.sort()).toEqual(['read_file done text', `write_file failed ${cutMessage}`]);
  return results;
}

describe.each(openaiClients)('chat completions through openai %s', (_, Client) => {
  test('a call that was cut off never runs', async () => {
    await using provider = await provide(chatScripts);
    const { calls, fetch: watched } = watching('openai-chat');
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Write.' }];
    const ask = async () => await askChat(Client, provider.url, watched, messages);
    await ask();
    const results = await runTurn(calls);
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: results.map(({ decision }) => toHistory(decision, 'openai-chat')),
    });
    messages.push(...results.map((result) => toToolResult(result, undefined, 'openai-chat')));
    await ask();
    const body = provider.requests[1]?.body as { messages: Record<string, unknown>[] };
    expect(body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'read_file', arguments: goodText },
          },
          {
            id: 'call_2',
            type: 'function',
            function: { name: 'write_file', arguments: JSON.stringify({ INVALID_JSON: cutText }) },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'text' },
      { role: 'tool', tool_call_id: 'call_2', content: cutMessage },
    ]);
  });
});

describe.each(anthropicClients)('messages through @anthropic-ai/sdk %s', (_, Client) => {
  test('a call that was cut off never runs', async () => {
    await using provider = await provide(messagesScripts);
    const { calls, fetch: watched } = watching('anthropic-messages');
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Write.' }];
    const ask = async () => await askMessages(Client, provider.url, watched, messages);
    await ask();
    const results = await runTurn(calls);
    const content = results.map(({ decision }) => toHistory(decision, 'anthropic-messages'));
    messages.push({ role: 'assistant', content });
    messages.push({
      role: 'user',
      content: results.map((result) => toToolResult(result, undefined, 'anthropic-messages')),
    });
    await ask();
    const body = provider.requests[1]?.body as { messages: Record<string, unknown>[] };
    expect(body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a.txt' } },
          { type: 'tool_use', id: 'toolu_2', name: 'write_file', input: { INVALID_JSON: cutText } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: cutMessage, is_error: true },
        ],
      },
    ]);
  });
});

describe.each(openaiClients)('responses through openai %s', (_, Client) => {
  test('a call that was cut off never runs', async () => {
    await using provider = await provide(responsesScripts);
    const { calls, fetch: watched } = watching('openai-responses');
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Write.' }];
    const ask = async () => await askResponses(Client, provider.url, watched, input);
    await ask();
    for (const result of await runTurn(calls)) {
      input.push(toHistory(result.decision, 'openai-responses'));
      input.push(toToolResult(result, undefined, 'openai-responses'));
    }
    await ask();
    const body = provider.requests[1]?.body as { input: Record<string, unknown>[] };
    expect(body.input.slice(1)).toEqual([
      { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: goodText },
      { type: 'function_call_output', call_id: 'call_1', output: 'text' },
      {
        type: 'function_call',
        call_id: 'call_2',
        name: 'write_file',
        arguments: JSON.stringify({ INVALID_JSON: cutText }),
      },
      { type: 'function_call_output', call_id: 'call_2', output: cutMessage },
    ]);
  });
});
