// The seed of the project, end to end: a provider streams a call that was cut off, an agent on the
// official client gets the report, the tool never runs, nobody is asked to approve it, the good
// call beside it runs, a user sees the failed call with the same message, and the provider gets
// that message in the next request, which is valid for its wire.

import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { describe, expect, test } from 'vitest';

import type { ToolCall } from '../../src/wire/index.js';
import {
  anthropicClients,
  askChat,
  askMessages,
  askResponses,
  chatScripts,
  cutMessage,
  goodText,
  messagesScripts,
  openaiClients,
  responsesScripts,
  watching,
} from '../support/loop.js';
import { provide } from '../support/server.js';

/** What an agent did with the calls of one turn. */
class Turn {
  readonly approved: string[] = [];
  readonly ran: string[] = [];
  /** What a user interface would show. */
  readonly shown: { id: string; name: string; status: string; content: string }[] = [];

  /** Handles one call; the text that answers it. */
  handle({ id, name, outcome }: ToolCall): string {
    if (outcome?.status !== 'accepted') {
      const content = outcome?.message ?? '';
      this.shown.push({ id, name, status: 'failed', content });
      return content;
    }
    this.approved.push(name);
    this.ran.push(`${name} ${outcome.text}`);
    const content = `ran ${name}`;
    this.shown.push({ id, name, status: 'done', content });
    return content;
  }
}

/** The text that stands in history for a call. */
function replayOf({ outcome }: ToolCall): string {
  return outcome === null ? '' : outcome.status === 'accepted' ? outcome.text : outcome.replay;
}

function check(turn: Turn, calls: readonly ToolCall[], sentBack: unknown): void {
  expect(calls.map(({ name, finished }) => [name, finished])).toEqual([
    ['read_file', true],
    ['write_file', false],
  ]);
  expect(turn.ran).toEqual([`read_file ${goodText}`]);
  expect(turn.approved).toEqual(['read_file']);
  expect(turn.shown.map(({ status }) => status)).toEqual(['done', 'failed']);
  expect(turn.shown[1]?.content).toBe(cutMessage);
  expect(sentBack).toBe(cutMessage);
}

describe.each(openaiClients)('chat completions through openai %s', (_, Client) => {
  test('a call that was cut off never runs', async () => {
    await using provider = await provide(chatScripts);
    const { calls, fetch: watched } = watching('openai-chat');
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Write.' }];
    const ask = async () => await askChat(Client, provider.url, watched, messages);
    await ask();

    const turn = new Turn();
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: replayOf(call) },
      })),
    });
    for (const call of calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: turn.handle(call) });
    }
    await ask();

    const body = provider.requests[1]?.body as { messages: Record<string, unknown>[] };
    const answer = body.messages.at(-1);
    check(turn, calls, answer?.['content']);
    expect(answer).toMatchObject({ role: 'tool', tool_call_id: 'call_2' });
    const assistant = body.messages.at(-3) as {
      tool_calls: { id: string; function: { arguments: string } }[];
    };
    expect(assistant.tool_calls.map(({ id }) => id)).toEqual(['call_1', 'call_2']);
    for (const call of assistant.tool_calls) {
      expect(JSON.parse(call.function.arguments)).toBeTypeOf('object');
    }
  });
});

describe.each(anthropicClients)('messages through @anthropic-ai/sdk %s', (_, Client) => {
  test('a call that was cut off never runs', async () => {
    await using provider = await provide(messagesScripts);
    const { calls, fetch: watched } = watching('anthropic-messages');
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Write.' }];
    const ask = async () => await askMessages(Client, provider.url, watched, messages);
    await ask();

    const turn = new Turn();
    messages.push({
      role: 'assistant',
      content: calls.map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.name,
        input: JSON.parse(replayOf(call)) as unknown,
      })),
    });
    messages.push({
      role: 'user',
      content: calls.map((call) => ({
        type: 'tool_result',
        tool_use_id: call.id,
        is_error: !call.finished,
        content: turn.handle(call),
      })),
    });
    await ask();

    const body = provider.requests[1]?.body as {
      messages: { content: Record<string, unknown>[] }[];
    };
    const answer = body.messages.at(-1)?.content.at(-1);
    check(turn, calls, answer?.['content']);
    expect(answer).toMatchObject({ type: 'tool_result', tool_use_id: 'toolu_2', is_error: true });
    const uses = body.messages.at(-2)?.content ?? [];
    expect(uses.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_2']);
    expect(uses.every(({ input }) => typeof input === 'object' && input !== null)).toBe(true);
  });
});

describe.each(openaiClients)('responses through openai %s', (_, Client) => {
  test('a call that was cut off never runs', async () => {
    await using provider = await provide(responsesScripts);
    const { calls, fetch: watched } = watching('openai-responses');
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Write.' }];
    const ask = async () => await askResponses(Client, provider.url, watched, input);
    await ask();

    const turn = new Turn();
    for (const call of calls) {
      input.push({
        type: 'function_call',
        call_id: call.id,
        name: call.name,
        arguments: replayOf(call),
      });
      input.push({ type: 'function_call_output', call_id: call.id, output: turn.handle(call) });
    }
    await ask();

    const body = provider.requests[1]?.body as { input: Record<string, unknown>[] };
    const answer = body.input.at(-1);
    check(turn, calls, answer?.['output']);
    expect(answer).toMatchObject({ type: 'function_call_output', call_id: 'call_2' });
    for (const replayed of body.input.filter(({ type }) => type === 'function_call')) {
      expect(JSON.parse(replayed['arguments'] as string)).toBeTypeOf('object');
    }
  });
});
