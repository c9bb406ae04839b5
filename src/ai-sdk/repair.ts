/**
 * A repair function for the AI SDK, versions 6 and 7.
 *
 * The SDK asks it about a call whose input is not JSON or does not match its tool's schema. There
 * are two answers: the call with the exact object that its text holds, or none, and then the SDK
 * sends its error to the model as the call's result. That error's words are replaced by argspan's,
 * which say what is wrong and quote what came, as far as `echoLimit` lets them.
 *
 * Nothing of the SDK is imported: its types are matched by their shape, which both versions share.
 */

import { isStandardSchema } from '../gate/definitions.js';
import { forbiddenOnly, readFindings } from '../gate/inspect.js';
import { type Issues, issuesOfStandard } from '../gate/issues.js';
import { shortened } from '../gate/words.js';
import { ECHO_LIMIT, readCount, readOptions } from '../input.js';
import { inspect } from '../native.js';
import type { Accepted } from '../outcome.js';
import { parseToolArguments } from '../parse.js';
import { type Complaint, buildComplaint, echoOf } from '../report.js';

/** Characters of a schema that a message shows, and of a validator's own words. */
const SCHEMA_LIMIT = 2000;
const WORDS_LIMIT = 200;

/** How far down an error's causes are looked at. */
const CAUSES_MAX = 5;

/** The SDK's tool call, as far as it matters here. */
export interface SdkToolCall {
  readonly toolName: string;
  /** The arguments' text, as the provider sent it. */
  readonly input: string;
  readonly providerExecuted?: boolean | undefined;
}

/** What the SDK hands to a repair function, as far as it matters here. */
export interface FailedToolCall<Call extends SdkToolCall = SdkToolCall> {
  readonly toolCall: Call;
  readonly tools: Readonly<Record<string, { readonly inputSchema?: unknown }>>;
  readonly inputSchema: (options: { toolName: string }) => PromiseLike<unknown>;
  /** An `InvalidToolInputError` or a `NoSuchToolError`. */
  readonly error: Error;
}

/** A repair function: what `generateText`, `streamText` and agents take. */
export type RepairToolCall = <Call extends SdkToolCall>(
  failed: FailedToolCall<Call>,
) => Promise<Call | null>;

/** What can be chosen about a repair function. */
export interface RepairOptions {
  /**
   * How many characters (Unicode scalar values) of the input a message quotes; 0 quotes none.
   * @defaultValue 500
   */
  readonly echoLimit?: number | undefined;
}

/**
 * Makes a repair function with options.
 *
 * @throws TypeError | RangeError for a wrong option
 * @example
 * ```ts
 * import { createRepairToolCall } from 'argspan/ai-sdk';
 *
 * // generateText({ …, repairToolCall: createRepairToolCall({ echoLimit: 0 }) })
 * const repair = createRepairToolCall({ echoLimit: 0 });
 * const error = Object.assign(new Error('…'), { name: 'AI_InvalidToolInputError' });
 * const toolCall = { toolName: 'login', input: '{"password": "secret' };
 * const answer = await repair({ toolCall, tools: {}, inputSchema: async () => ({}), error });
 * answer; // null
 * error.message.includes('secret'); // false
 * ```
 */
export function createRepairToolCall(options: RepairOptions = {}): RepairToolCall {
  const given = readOptions(options, ['echoLimit']);
  const echoLimit = readCount(given.echoLimit, 'options.echoLimit', ECHO_LIMIT);
  return async (failed) => await decide(failed, echoLimit);
}

const standard = createRepairToolCall();

/**
 * The repair function for `generateText`, `streamText` and agents of the AI SDK: `repairToolCall` in
 * version 7, `experimental_repairToolCall` in 6.
 *
 * A call in a fence, in prose or encoded twice comes back as the call it holds, where that matches
 * the tool's schema. Every other one stays invalid and does not run; the model gets argspan's
 * message. Nothing is completed: a call that was cut off is never repaired, and one whose text is
 * whole although the output was cut off does not run either, because the SDK runs nothing then. The
 * name of a tool that does not exist, a call that the provider runs itself and a tool whose input is
 * no object are left as they are.
 *
 * @example
 * ```ts
 * import { repairToolCall } from 'argspan/ai-sdk';
 *
 * // generateText({ model, tools, prompt, repairToolCall })
 * const error = Object.assign(new Error('…'), { name: 'AI_InvalidToolInputError' });
 * const toolCall = { toolCallId: 'call_1', toolName: 'read', input: 'Sure: {"path": "a.txt"}' };
 * const failed = { toolCall, tools: {}, inputSchema: async () => ({ type: 'object' }), error };
 * const repaired = await repairToolCall(failed);
 * repaired; // { toolCallId: 'call_1', toolName: 'read', input: '{"path": "a.txt"}' }
 * ```
 */
export async function repairToolCall<Call extends SdkToolCall>(
  failed: FailedToolCall<Call>,
): Promise<Call | null> {
  return await standard(failed);
}

async function decide<Call extends SdkToolCall>(
  failed: FailedToolCall<Call>,
  echoLimit: number,
): Promise<Call | null> {
  const { toolCall, error } = failed;
  if (error.name !== 'AI_InvalidToolInputError' || toolCall.providerExecuted === true) {
    return null;
  }
  const { toolName: name, input } = toolCall;
  const schema = await schemaOf(failed);
  if (!takesObjects(schema)) {
    return null;
  }
  const outcome = parseToolArguments(name, input, { echoLimit });
  if (outcome.status === 'reported') {
    return tell(error, outcome.message);
  }
  const about = forbiddenIn(outcome) ?? (await mismatchOf(failed, outcome, schema));
  if (about !== null) {
    const { text } = outcome;
    const facts = { name, about, ...echoOf(text, echoLimit), replay: text, echoLimit };
    return tell(error, buildComplaint(facts).message);
  }
  return { ...toolCall, input: outcome.text };
}

/** The SDK's error is this call's alone, and its words are what the model gets. */
function tell(error: Error, message: string): null {
  error.message = message;
  return null;
}

async function schemaOf({ inputSchema, toolCall }: FailedToolCall): Promise<unknown> {
  try {
    return await inputSchema({ toolName: toolCall.toolName });
  } catch {
    // A schema that has no JSON still validates.
    return undefined;
  }
}

function takesObjects(schema: unknown): boolean {
  const { type } = (schema ?? {}) as { readonly type?: unknown };
  return type === undefined || (Array.isArray(type) ? type : [type]).includes('object');
}

function forbiddenIn({ text }: Accepted): Complaint | null {
  const found = 0 < inspect(text, forbiddenOnly) ? readFindings() : [];
  const forbidden = found.find(({ code }) => code === 'forbidden-key');
  return forbidden === undefined
    ? null
    : { kind: 'forbidden-key', key: forbidden.detail ?? '', path: forbidden.path };
}

/** Why the arguments do not match their tool's schema; `null` where they do. */
async function mismatchOf(
  { tools, toolCall, error }: FailedToolCall,
  { text, value, repair }: Accepted,
  schema: unknown,
): Promise<Complaint | null> {
  // Of arguments that needed no repair the SDK has said it already.
  const cause =
    repair === 'none' || repair === 'empty'
      ? error.cause
      : await validate(ownSchema(tools, toolCall.toolName), JSON.parse(text));
  if (cause === null) {
    return null;
  }
  const json = schema === undefined ? null : shortened(JSON.stringify(schema), SCHEMA_LIMIT);
  return { kind: 'schema', ...issuesIn(cause, value), schema: json };
}

function ownSchema(tools: FailedToolCall['tools'], name: string): unknown {
  return Object.hasOwn(tools, name) ? tools[name]?.inputSchema : undefined;
}

/** Asks a schema of any kind that the SDK takes; `null` where it has nothing against the value. */
async function validate(schema: unknown, value: unknown): Promise<unknown> {
  try {
    return await complaintOf(schema, value);
  } catch (error) {
    // To the SDK a validator that throws is one that objects.
    return error;
  }
}

async function complaintOf(schema: unknown, value: unknown): Promise<unknown> {
  if (isStandardSchema(schema)) {
    return (await schema['~standard'].validate(value)).issues ?? null;
  }
  const made: unknown = typeof schema === 'function' ? (schema as () => unknown)() : schema;
  const { validate: ask } = (made ?? {}) as {
    readonly validate?: (value: unknown) => unknown;
  };
  const result = (await ask?.(value)) as
    | { readonly success: boolean; readonly error?: unknown }
    | undefined;
  return result?.success === false ? (result.error ?? 'it is not valid') : null;
}

/** The issues of the first cause that lists some, or the last one's own words. */
function issuesIn(cause: unknown, value: unknown): Issues {
  let words = 'what the parameters allow';
  let next = cause;
  for (let depth = 0; depth < CAUSES_MAX && next !== null && next !== undefined; depth++) {
    const { issues = next } = next as { readonly issues?: unknown };
    if (Array.isArray(issues)) {
      return issuesOfStandard(issues, value);
    }
    const { message, cause: inner } = next as { readonly message?: unknown; cause?: unknown };
    words = typeof message === 'string' ? message : words;
    next = inner;
  }
  return issuesOfStandard([{ message: shortened(words, WORDS_LIMIT) }], value);
}
