/**
 * The wrapper around a turn: decide, approve, dispatch.
 */

import { readFunction, readOptions, typeOf } from '../input.js';
import type { ToolArguments } from '../outcome.js';
import { readSignal } from './options.js';
import type { DecideContext, Decision, RunDecision, RunOf, ToolMap } from './types.js';
import { contentOf, errorText, isThenable, warn } from './words.js';

/** What a handler is told beside the arguments. */
export interface HandlerContext {
  readonly id: string;
  readonly signal: AbortSignal | undefined;
}

/** Runs a tool. What it returns goes to the model: a string as it is, anything else as JSON. */
export type Handler<Arguments = ToolArguments> = (
  input: Arguments,
  context: HandlerContext,
) => unknown;

/** A handler for each tool. */
export type Handlers<Tools extends ToolMap> = {
  readonly [Name in keyof Tools & string]?: Handler<Tools[Name]> | undefined;
};

/** What a turn's calls are run with. */
export interface RunOptions<Tools extends ToolMap = Record<string, ToolArguments>> {
  readonly handlers: Handlers<Tools>;
  /**
   * Whether a call may run; asked before each, in their order. Nothing but `true` lets it run.
   * @defaultValue every call may
   */
  readonly approve?: ((decision: RunOf<Tools>) => boolean | Promise<boolean>) | undefined;
  /**
   * Whether a call only reads, so that it may run beside others that do. Where it throws, the call
   * is one that does not.
   * @defaultValue none does
   */
  readonly readOnly?: ((decision: RunOf<Tools>) => boolean) | undefined;
  /**
   * Is told of everything that happens to a call, as a user interface shows it. Nobody waits for it,
   * and what it throws is a warning of the process.
   */
  readonly onUpdate?: ((update: ToolUpdate) => unknown) | undefined;
  /** Once it aborts, no further call begins. Those that run are waited for. */
  readonly signal?: AbortSignal | undefined;
  readonly context?: DecideContext | undefined;
}

/** What became of a call. */
export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly ok: boolean;
  /** What the model is told. */
  readonly content: string;
  readonly decision: Decision;
}

/** What happens to a call. */
export interface ToolUpdate {
  readonly id: string;
  readonly name: string;
  readonly status: 'running' | 'done' | 'failed';
  /** What the model is told; empty while the call runs. */
  readonly content: string;
  readonly decision: Decision;
}

interface Turn {
  readonly options: RunOptions;
  readonly handlers: ReadonlyMap<string, Handler<never>>;
}

/** Runs the calls that are decided on. */
export async function runCalls<Tools extends ToolMap>(
  decide: (context: DecideContext | undefined) => Promise<Decision<Tools>[]>,
  given: RunOptions<Tools>,
): Promise<ToolResult[]> {
  const options = readRunOptions(given as unknown as RunOptions);
  const decisions = (await decide(options.context)) as unknown as Decision[];
  const turn: Turn = { options, handlers: handlersOf(decisions, options.handlers) };
  const results = new Map<number, ToolResult>();
  for (const [index, decision] of decisions.entries()) {
    if (decision.action === 'report') {
      results.set(index, end(turn, decision, false, decision.message));
    }
  }
  // Calls that only read, and have not ended yet.
  let reading: Promise<void>[] = [];
  for (const [index, decision] of decisions.entries()) {
    if (decision.action === 'report') {
      continue;
    }
    const reads = onlyReads(options, decision);
    if (!reads) {
      await Promise.all(reading);
      reading = [];
    }
    const refusal = await refusalOf(turn, decision);
    if (refusal !== null) {
      results.set(index, end(turn, decision, false, refusal));
      continue;
    }
    const running = dispatch(turn, decision, (result) => results.set(index, result));
    if (reads) {
      reading.push(running);
    } else {
      await running;
    }
  }
  await Promise.all(reading);
  return [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
}

function readRunOptions(given: RunOptions): RunOptions {
  const options = readOptions(given, [
    'handlers',
    'approve',
    'readOnly',
    'onUpdate',
    'signal',
    'context',
  ]);
  if (typeof options.handlers !== 'object' || options.handlers === null) {
    throw new TypeError(`options.handlers must be an object (got ${typeOf(options.handlers)})`);
  }
  readFunction(options.approve, 'options.approve');
  readFunction(options.readOnly, 'options.readOnly');
  readFunction(options.onUpdate, 'options.onUpdate');
  readSignal(options.signal);
  return options;
}

/** The handlers of all calls that are to run: the caller's own properties, and no others. */
function handlersOf(
  decisions: readonly Decision[],
  handlers: Handlers<Record<string, ToolArguments>>,
): Map<string, Handler<never>> {
  const found = new Map<string, Handler<never>>();
  for (const { action, name } of decisions) {
    if (action === 'report' || found.has(name)) {
      continue;
    }
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (typeof handler !== 'function') {
      throw new TypeError(
        `options.handlers must have a function \`${name}\` (got ${typeOf(handler)})`,
      );
    }
    found.set(name, handler);
  }
  return found;
}

function onlyReads({ readOnly }: RunOptions, decision: RunDecision): boolean {
  try {
    return readOnly?.(decision) === true;
  } catch (error) {
    warn('readOnly threw', error);
    return false;
  }
}

/** Why a call may not run; `null` where it may. */
async function refusalOf({ options }: Turn, decision: RunDecision): Promise<string | null> {
  const { approve, signal } = options;
  const aborted = `The call of \`${decision.name}\` was not run: the turn was aborted.`;
  if (signal?.aborted === true) {
    return aborted;
  }
  if (approve === undefined) {
    return null;
  }
  const refused = `The call of \`${decision.name}\` was not approved`;
  try {
    // Whatever it answers in a language without types.
    const answer: unknown = await approve(decision);
    if (answer !== true) {
      return `${refused}.`;
    }
  } catch (error) {
    return `${refused}: ${errorText(error)}`;
  }
  return isAborted(signal) ? aborted : null;
}

/** Asked anew: it may have happened meanwhile. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

async function dispatch(
  turn: Turn,
  decision: RunDecision,
  keep: (result: ToolResult) => void,
): Promise<void> {
  const { id, name } = decision;
  const { signal, onUpdate } = turn.options;
  const handler = turn.handlers.get(name) as Handler | undefined;
  tell(onUpdate, { id, name, status: 'running', content: '', decision });
  try {
    const content = contentOf(await handler?.(decision.arguments, { id, signal }));
    keep(end(turn, decision, true, content));
  } catch (error) {
    keep(end(turn, decision, false, errorText(error, 'The tool failed.')));
  }
}

function end({ options }: Turn, decision: Decision, ok: boolean, content: string): ToolResult {
  const { id, name } = decision;
  tell(options.onUpdate, { id, name, status: ok ? 'done' : 'failed', content, decision });
  return { id, name, ok, content, decision };
}

/** Whoever watches cannot stop what happens. */
function tell(onUpdate: RunOptions['onUpdate'], update: ToolUpdate): void {
  const failed = (error: unknown) => warn('onUpdate threw', error);
  try {
    const told = onUpdate?.(update);
    if (isThenable(told)) {
      Promise.resolve(told).catch(failed);
    }
  } catch (error) {
    failed(error);
  }
}
