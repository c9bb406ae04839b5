/**
 * The official clients, where they are installed: what each makes of a streamed response.
 *
 * They are no dependencies. From a checkout they are there; elsewhere the demo says so.
 */
import type { WireFormat } from '../wire/index.js';
import { errorWords } from './io.js';

/** A call as a client hands it over: its arguments as text, or as the value that it built. */
export interface ClientCall {
  readonly name: string;
  readonly arguments: string;
}

/** What became of a response in a client. */
export type ClientResult =
  | { readonly kind: 'calls'; readonly client: string; readonly calls: readonly ClientCall[] }
  | { readonly kind: 'threw'; readonly client: string; readonly message: string }
  | { readonly kind: 'absent'; readonly client: string };

/** Where the response comes from, and the fetch that asks for it. */
interface Source {
  readonly baseURL: string;
  readonly fetch: typeof fetch;
}

/** Lets the official client of a format ask for one response. */
export async function askClient(format: WireFormat, source: Source): Promise<ClientResult> {
  const client = format === 'anthropic-messages' ? '@anthropic-ai/sdk' : 'openai';
  const ask = await clientOf(format, source);
  if (ask === null) {
    // Without a client the response is still asked for, so that argspan has something to say.
    const response = await source.fetch(source.baseURL, { method: 'POST' });
    await response.arrayBuffer();
    return { kind: 'absent', client };
  }
  try {
    return { kind: 'calls', client, calls: await ask() };
  } catch (error) {
    return { kind: 'threw', client, message: errorWords(error) };
  }
}

async function clientOf(
  format: WireFormat,
  source: Source,
): Promise<(() => Promise<ClientCall[]>) | null> {
  const settings = { apiKey: 'none', maxRetries: 0, ...source };
  const content = 'Tidy up.';
  const model = 'demo';
  try {
    if (format === 'anthropic-messages') {
      const { Anthropic } = await import('@anthropic-ai/sdk');
      const client = new Anthropic(settings);
      return async () => {
        const messages = [{ role: 'user' as const, content }];
        const message = await client.messages
          .stream({ model, max_tokens: 64, messages })
          .finalMessage();
        return message.content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ name: block.name, arguments: JSON.stringify(block.input) }]
            : [],
        );
      };
    }
    const { OpenAI } = await import('openai');
    const client = new OpenAI(settings);
    if (format === 'openai-responses') {
      return async () => {
        const response = await client.responses.stream({ model, input: content }).finalResponse();
        return response.output.flatMap((item) =>
          item.type === 'function_call' ? [{ name: item.name, arguments: item.arguments }] : [],
        );
      };
    }
    return async () => {
      const messages = [{ role: 'user' as const, content }];
      const completion = await client.chat.completions
        .stream({ model, messages })
        .finalChatCompletion();
      const calls = completion.choices[0]?.message.tool_calls ?? [];
      return calls.flatMap((call) =>
        call.type === 'function'
          ? [{ name: call.function.name, arguments: call.function.arguments }]
          : [],
      );
    };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      return null;
    }
    throw error;
  }
}
