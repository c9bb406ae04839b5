import { typeOf } from '../input.js';
import { Reader } from './reader.js';
import type { ToolCall, ToolCallEvent, WireFormat, WireOptions } from './types.js';

/** Reads the events of one response. Every member throws a `TypeError` after disposal. */
export interface ToolCallAssembler {
  /**
   * Takes the next event: an object as an SDK yields it, or an event's JSON text (`[DONE]` too).
   * Returns what happened, and where nothing did always the same empty array.
   * @throws TypeError where it is something else or no JSON can say it, or after the end
   */
  feed(event: unknown): readonly ToolCallEvent[];
  /** No more will come: returns what the end brings. Called again it returns nothing. */
  flush(): readonly ToolCallEvent[];
  /** Flushes, and returns all calls, in the order of {@link ToolCallStream.finish}. */
  finish(): ToolCall[];
  /** Lets go of everything at once, instead of when the garbage collector comes. */
  [Symbol.dispose](): void;
}

class EventAssembler implements ToolCallAssembler {
  readonly #reader: Reader;

  constructor(format: WireFormat, options: WireOptions) {
    this.#reader = new Reader('assembler', format, options);
  }

  feed(event: unknown): readonly ToolCallEvent[] {
    return this.#reader.feedText(jsonText(event, 'event'), false);
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
 * The JSON text of an object, so that the one reader of each format sees the same fields in bytes
 * and in objects; strings are that text already.
 *
 * @throws TypeError where there is none
 */
export function jsonText(value: unknown, argument: string): string {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`${argument} must be an object or a string (got ${typeOf(value)})`);
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(value) as string | undefined;
  } catch (cause) {
    throw new TypeError(`${argument} must be an object that JSON can say`, { cause });
  }
  if (text === undefined) {
    throw new TypeError(`${argument} must be an object that JSON can say`);
  }
  return text;
}

/**
 * Creates a reader of event objects, as the official SDKs yield them. It decides as
 * {@link createToolCallStream} does on the same events' bytes (guarantee 2); arguments that a wire
 * sends as an object have the text that `JSON.stringify` gives them.
 *
 * @throws TypeError | RangeError for a wrong format or option
 * @example
 * ```ts
 * import { createToolCallAssembler } from 'argspan/wire';
 *
 * const call = { id: 'call_1', function: { name: 'read', arguments: '{"path": "a' } };
 * const choice = { index: 0, delta: { tool_calls: [call] }, finish_reason: 'length' };
 *
 * const assembler = createToolCallAssembler('openai-chat');
 * assembler.feed({ choices: [choice] });
 * const [read] = assembler.finish();
 * read.finished; // false
 * read.outcome.kind; // 'truncated'
 * ```
 */
export function createToolCallAssembler(
  format: WireFormat,
  options: WireOptions = {},
): ToolCallAssembler {
  return new EventAssembler(format, options);
}
