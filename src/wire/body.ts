import { checkMemory, isBytes } from '../input.js';
import { jsonText } from './assembler.js';
import { Reader } from './reader.js';
import type { ToolCall, WireFormat, WireOptions } from './types.js';

/**
 * The calls of a whole body, as it comes where no stream was asked for: bytes, text, or parsed
 * already. A body that is an error, or no JSON at all, has none.
 *
 * @throws TypeError | RangeError for a wrong format, option or body
 * @example
 * ```ts
 * import { toolCallsFromBody } from 'argspan/wire';
 *
 * const block = { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a.txt' } };
 * const body = { type: 'message', content: [block], stop_reason: 'tool_use' };
 * toolCallsFromBody('anthropic-messages', body)[0].text; // '{"path":"a.txt"}'
 * ```
 */
export function toolCallsFromBody(
  format: WireFormat | 'auto',
  body: unknown,
  options: WireOptions = {},
): ToolCall[] {
  const bytes = isBytes(body) ? body : null;
  // A body that was parsed may be null: it has no calls.
  const text = bytes !== null ? '' : body === null ? 'null' : jsonText(body, 'body');
  const reader = new Reader('body', format, options);
  if (bytes === null) {
    reader.feedText(text, true);
  } else {
    checkMemory(bytes, 'body');
    reader.feedBody(bytes);
  }
  return reader.finish();
}
