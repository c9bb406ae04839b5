import { checkMemory, isBytes, typeOf } from '../input.js';
import { Reader } from './reader.js';
import type { ToolCall, ToolCallEvent, WireFormat, WireOptions } from './types.js';

/** Reads the bytes of one response. Every member throws a `TypeError` after disposal. */
export interface ToolCallStream {
  /**
   * Takes the next bytes, cut anywhere; a JSON body is understood too, at the end. Returns what
   * happened, and where nothing did always the same empty array.
   * @throws TypeError where it is something else, or after the end
   */
  feed(chunk: Uint8Array): readonly ToolCallEvent[];
  /**
   * No more will come: returns what the end brings, a last unterminated event and unfinished
   * calls among it. Called again it returns nothing.
   */
  flush(): readonly ToolCallEvent[];
  /**
   * Flushes, and returns all calls: by choice, ascending, and within one in the wire's order where
   * every call has an index of its own, else as they arrived.
   */
  finish(): ToolCall[];
  /** Lets go of everything at once, instead of when the garbage collector comes. */
  [Symbol.dispose](): void;
}

class ByteStream implements ToolCallStream {
  readonly #reader: Reader;

  constructor(format: WireFormat | 'auto', options: WireOptions) {
    this.#reader = new Reader('stream', format, options);
  }

  feed(chunk: Uint8Array): readonly ToolCallEvent[] {
    if (!isBytes(chunk)) {
      throw new TypeError(`chunk must be a Uint8Array (got ${typeOf(chunk)})`);
    }
    checkMemory(chunk, 'chunk');
    return this.#reader.feedBytes(chunk);
  }

  flush(): readonly ToolCallEvent[] {
    return this.#reader.flush();
  }

  finish(): ToolCall[] {
    return this.#reader.finish();
  }

  [Symbol.dispose](): void {
    this.#reader.dispose();
  }
}

/**
 * Creates a reader of the bytes of one response, content-decoded (a compressed body gives one
 * `error` event). With `'auto'` the first event tells the format.
 *
 * A call is finished only when its wire says so (guarantee 7). The same bytes give the same calls,
 * whatever the chunks (guarantee 1). Memory is bounded by the options.
 *
 * @throws TypeError | RangeError for a wrong format or option
 * @example
 * ```ts
 * import { createToolCallStream } from 'argspan/wire';
 *
 * const call = { id: 'call_1', function: { name: 'read', arguments: '{"path": "a.txt"}' } };
 * const choice = { index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' };
 * const chunk = Buffer.from(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
 *
 * const controller = new AbortController();
 * const stream = createToolCallStream('openai-chat');
 * for (const event of stream.feed(chunk)) {
 *   // One line ends a generation that can no longer succeed:
 *   if (event.type === 'verdict' && event.verdict === 'malformed') controller.abort();
 * }
 * const [read] = stream.finish();
 * read.finished; // true
 * read.outcome.value; // { path: 'a.txt' }
 * ```
 */
export function createToolCallStream(
  format: WireFormat | 'auto',
  options: WireOptions = {},
): ToolCallStream {
  return new ByteStream(format, options);
}
