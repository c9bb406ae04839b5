/**
 * What goes back to the provider: the call as it stands in history, and its answer.
 */

import { readOptions, typeOf } from '../input.js';
import type { WireFormat } from '../wire/types.js';
import { plainName, wireId } from './ids.js';
import type { ReportDecision, RunDecision } from './types.js';
import { contentOf } from './words.js';

/** What is answered: a decision, or what `gate.run` made of one. */
export type Answered =
  | Pick<RunDecision<string, unknown>, 'action' | 'id'>
  | Pick<ReportDecision, 'action' | 'id' | 'message'>
  | { readonly id: string; readonly ok: boolean; readonly content: string };

/** The message that answers a call, in OpenAI's chat completions. */
export interface ChatToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** The block that answers a call, in Anthropic's messages. */
export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: true;
}

/** The item that answers a call, in OpenAI's responses. */
export interface FunctionCallOutput {
  type: 'function_call_output';
  call_id: string;
  output: string;
}

/** The answer in each wire's shape. */
export interface ToolResults {
  'openai-chat': ChatToolMessage;
  'anthropic-messages': ToolResultBlock;
  'openai-responses': FunctionCallOutput;
}

/**
 * The message that answers a call: a report with its message, a result of `gate.run` with its
 * content, another decision with the content given.
 *
 * @param content - a string as it is, anything else as JSON; left out where what is answered has one
 * @throws TypeError | RangeError for a wrong format, and where the content has no JSON
 * @example
 * ```ts
 * const gate = createGate([{ name: 'now' }]);
 * const decision = gate.decide({ id: 'call_1', name: 'now', arguments: '' });
 * const result = toToolResult(decision, '12:00', 'openai-chat');
 * result; // { role: 'tool', tool_call_id: 'call_1', content: '12:00' }
 * ```
 */
export function toToolResult<Format extends WireFormat>(
  answered: Answered,
  content: unknown,
  format: Format,
): ToolResults[Format] {
  checkAnswered(answered, 'answered');
  const id = wireId(answered.id, format);
  const { text, failed } = answerOf(answered, content);
  const results: { [Wire in WireFormat]: () => ToolResults[Wire] } = {
    'openai-chat': () => ({ role: 'tool', tool_call_id: id, content: text }),
    'anthropic-messages': () => ({
      type: 'tool_result',
      tool_use_id: id,
      content: text,
      ...(failed ? { is_error: true } : {}),
    }),
    'openai-responses': () => ({ type: 'function_call_output', call_id: id, output: text }),
  };
  return results[format]();
}

function answerOf(answered: Answered, content: unknown): { text: string; failed: boolean } {
  if ('ok' in answered) {
    const text = contentOf(content === undefined ? answered.content : content);
    return { text, failed: !answered.ok };
  }
  if (answered.action === 'report') {
    // One message for the model and for whoever watches, so no other.
    return { text: answered.message, failed: true };
  }
  return { text: contentOf(content), failed: false };
}

/** What can be chosen about a call in history. */
export interface HistoryOptions {
  /**
   * The JSON object that stands in place of a reported call's arguments.
   * @defaultValue the outcome's `replay`
   */
  readonly replay?: string | ((decision: ReportDecision) => string) | undefined;
}

/** A call, in OpenAI's chat completions: an entry of `tool_calls`. */
export interface ChatToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A call, in Anthropic's messages. */
export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** A call, in OpenAI's responses. */
export interface FunctionCallItem {
  type: 'function_call';
  call_id: string;
  name: string;
  arguments: string;
}

/** The call in each wire's shape. */
export interface HistoryCalls {
  'openai-chat': ChatToolCall;
  'anthropic-messages': ToolUseBlock;
  'openai-responses': FunctionCallItem;
}

/**
 * The assistant's call as it may stand in the next request: the exact text that was accepted, and
 * for a report an object that no provider refuses, because a broken text there makes several of
 * them refuse every later request.
 *
 * @throws TypeError | RangeError for a wrong format, and where `options.replay` is no JSON object
 * @example
 * ```ts
 * const gate = createGate([{ name: 'read' }]);
 * const decision = gate.decide({ id: 'call_1', name: 'read', arguments: '{"path": "a' });
 * toHistory(decision, 'openai-responses').arguments; // '{"INVALID_JSON":"{\\"path\\": \\"a"}'
 * ```
 */
export function toHistory<Format extends WireFormat>(
  decision: RunDecision<string, unknown> | ReportDecision,
  format: Format,
  options: HistoryOptions = {},
): HistoryCalls[Format] {
  checkAnswered(decision, 'decision');
  const id = wireId(decision.id, format);
  // The provider was shown the names of tools; one that there is not may be anything.
  const unknown = decision.action === 'report' && decision.kind === 'unknown-tool';
  const name = unknown ? plainName(decision.name) : decision.name;
  const text = decision.action === 'run' ? decision.text : replayOf(decision, options);
  const calls: { [Wire in WireFormat]: () => HistoryCalls[Wire] } = {
    'openai-chat': () => ({ id, type: 'function', function: { name, arguments: text } }),
    'anthropic-messages': () => ({
      type: 'tool_use',
      id,
      name,
      input: wellFormed(text),
    }),
    'openai-responses': () => ({ type: 'function_call', call_id: id, name, arguments: text }),
  };
  return calls[format]();
}

/** @throws TypeError for what is neither a decision nor, with `ok`, a result */
function checkAnswered(given: unknown, argument: 'answered' | 'decision'): void {
  const { id, action, ok } = (given ?? {}) as { id?: unknown; action?: unknown; ok?: unknown };
  const isDecision = action === 'run' || action === 'report';
  const isResult = argument === 'answered' && typeof ok === 'boolean';
  if (typeof id !== 'string' || !(isDecision || isResult)) {
    const wanted = argument === 'answered' ? 'a decision or a result' : 'a decision';
    throw new TypeError(`${argument} must be ${wanted} (got ${typeOf(given)})`);
  }
}

/** The escape of what may be half a surrogate pair, which servers refuse. */
const halfEscape = /\\u[dD][89a-fA-F]/;

function wellFormed(text: string): Record<string, unknown> {
  const replaceHalves = (_key: string, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value;
  return JSON.parse(text, halfEscape.test(text) ? replaceHalves : undefined) as Record<
    string,
    unknown
  >;
}

function replayOf(decision: ReportDecision, options: HistoryOptions): string {
  const { replay } = readOptions(options, ['replay']);
  if (replay === undefined) {
    return decision.outcome.replay;
  }
  const text: unknown = typeof replay === 'function' ? replay(decision) : replay;
  if (typeof text !== 'string' || !isObjectText(text)) {
    throw new TypeError(`options.replay must give the text of a JSON object (got ${typeOf(text)})`);
  }
  return text;
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
