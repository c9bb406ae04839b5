/**
 * The wrapper around a turn: decide, approve, dispatch.
 */

import { readOptions, typeOf } from '../input.js';
import type { ToolArguments } from '../outcome.js';
import { readFunction } from './options.js';
import type { DecideContext, Decision, RunDecision, RunOf, ToolMap } from './types.js';

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
   * Whether a call may run; asked before each, in their order.
   * @defaultValue every call may
   */
  readonly approve?: ((decision: RunOf<Tools>) => boolean | Promise<boolean>) | undefined;
  /**
   * Whether a call only reads, so that it may run beside others that do.
   * @defaultValue none does
   */
  readonly readOnly?: ((decision: RunOf<Tools>) => boolean) | undefined;
  /** Is told of everything that happens to a call, as a user interface shows it. */
  readonly onUpdate?: ((update: ToolUpdate) => void) | undefined;
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
    const reads = options.readOnly?.(decision) === true;
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

/** Why a call may not run; `null` where it may. */
async function refusalOf({ options }: Turn, decision: RunDecision): Promise<string | null> {
  const { approve, signal } = options;
  if (signal?.aborted === true) {
    return `The call of \`${decision.name}\` was not run: the turn was aborted.`;
  }
  if (approve === undefined) {
    return null;
  }
  try {
    return (await approve(decision)) ? null : `The call of \`${decision.name}\` was not approved.`;
  } catch (error) {
    return `The call of \`${decision.name}\` was not approved: ${messageOf(error)}`;
  }
}

async function dispatch(
  turn: Turn,
  decision: RunDecision,
  settle: (result: ToolResult) => void,
): Promise<void> {
  const { id, name } = decision;
  const { signal, onUpdate } = turn.options;
  const handler = turn.handlers.get(name) as Handler | undefined;
  tell(onUpdate, { id, name, status: 'running', content: '', decision });
  try {
    const content = contentOf(await handler?.(decision.arguments, { id, signal }));
    settle(end(turn, decision, true, content));
  } catch (error) {
    settle(end(turn, decision, false, messageOf(error)));
  }
}

function end({ options }: Turn, decision: Decision, ok: boolean, content: string): ToolResult {
  const { id, name } = decision;
  tell(options.onUpdate, { id, name, status: ok ? 'done' : 'failed', content, decision });
  return { id, name, ok, content, decision };
}

/** Whoever watches cannot stop what happens. */
function tell(onUpdate: RunOptions['onUpdate'], update: ToolUpdate): void {
  try {
    onUpdate?.(update);
  } catch (error) {
    process.emitWarning(`onUpdate threw: ${messageOf(error)}`, 'ArgspanWarning');
  }
}

/**
 * What the model is told of a value: a string as it is, anything else as JSON.
 *
 * @throws TypeError where it has none
 */
export function contentOf(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  return value === undefined ? '' : (JSON.stringify(value) ?? '');
}

function messageOf(error: unknown): string {
  const message: unknown = error instanceof Error ? error.message : error;
  return typeof message === 'string' && message !== '' ? message : 'The tool failed.';
}
