/**
 * The gate: tool definitions in, one decision a call out.
 */

import { typeOf } from '../input.js';
import type { ToolArguments } from '../outcome.js';
import { type Rules, decideCall, decideCallAsync } from './decide.js';
import { type ToolDefinitions, readDefinitions } from './definitions.js';
import { distinctIds } from './ids.js';
import type { ToolMapOf } from './infer.js';
import { Compiler } from './json-schema.js';
import { publishDecision, someoneWatches } from './observe.js';
import { type GateOptions, readGateOptions } from './options.js';
import { type RunOptions, type ToolResult, runCalls } from './run.js';
import type {
  DecideContext,
  Decision,
  Finding,
  GateCall,
  Plan,
  ReportDecision,
  RunDecision,
  RunOf,
  ToolMap,
} from './types.js';
import { createValidator } from './validator.js';
import { shortened } from './words.js';

/**
 * Decides what becomes of calls. It keeps nothing of a conversation. A gate of known tools may stand
 * wherever one of any tools is asked for.
 */
export type Gate<Tools extends ToolMap = Record<string, ToolArguments>> = GateOf<
  RunOf<Tools>,
  RunOptions<Tools>
>;

/** A gate, by its decisions to run a call and by what a turn's calls are run with. */
export interface GateOf<Run, Options> {
  /** The names of the tools, in the order of their definitions. */
  readonly names: readonly string[];
  /**
   * The one decision on a call: run it with exactly these arguments, or send exactly this back. A
   * model's mistake is never thrown. A call without an id gets one.
   *
   * @throws TypeError naming the tool where its Standard Schema answers with a promise, and for a
   * wrong call or context. What a schema throws is a report, and a warning of the process
   */
  decide(call: GateCall, context?: DecideContext): Run | ReportDecision;
  /** The same for schemas that answer with a promise. */
  decideAsync(call: GateCall, context?: DecideContext): Promise<Run | ReportDecision>;
  /**
   * The decisions on a turn's calls: those that run, in the calls' order, and the reports apart.
   * Of calls with the same id each behind the first gets one of its own (`call_1_2`), because no
   * provider takes the same id twice; a finding (`duplicate-id`) has the one that it came with.
   */
  plan(calls: readonly GateCall[], context?: DecideContext): Plan<Run>;
  /** The same for schemas that answer with a promise. */
  planAsync(calls: readonly GateCall[], context?: DecideContext): Promise<Plan<Run>>;
  /**
   * Decides, asks and dispatches. No report reaches `approve` or a handler; calls that only read run
   * side by side, others one after another in their order; a handler that throws is that call's
   * failed result.
   *
   * @returns one result a call, in the calls' order
   * @throws TypeError before anything runs, where a tool that is to run has no handler
   */
  run(calls: readonly GateCall[], options: Options): Promise<ToolResult[]>;
}

/**
 * Makes a gate of tool definitions: in OpenAI's shape, Anthropic's (`input_schema`), MCP's
 * (`inputSchema`), in a list or by name. A schema is JSON Schema (2020-12, or draft-07 by its
 * `$schema`) or a Standard Schema (zod, valibot, arktype); each is compiled once, here.
 *
 * JSON Schema is strict about types (`"5"` is no integer), fills in no defaults, fetches no `$ref`,
 * ignores keywords that it does not know, and asserts no `format` but those in `options.formats`.
 * Limits: a schema has at most 1 MiB (`maxSchemaBytes`) and 100 levels, and must not refer to itself
 * without end. Where a check follows more references than 10,000 and four for each character of the
 * arguments, it is given up, and the call reported. A `pattern` runs in JavaScript's engine, which
 * some patterns can keep busy for very long: give `options.regExp` an engine whose time is linear
 * where definitions are not your own.
 *
 * @throws TypeError | RangeError for wrong definitions and options, and naming the tool where a
 * schema cannot be compiled
 * @example
 * ```ts
 * const gate = createGate([
 *   {
 *     name: 'read',
 *     parameters: {
 *       type: 'object',
 *       properties: { path: { type: 'string' } },
 *       required: ['path'],
 *     },
 *   },
 * ]);
 * const good = gate.decide({ id: 'call_1', name: 'read', arguments: '{"path": "a.txt"}' });
 * good; // { action: 'run', arguments: { path: 'a.txt' }, text: '{"path": "a.txt"}', … }
 * const bad = gate.decide({ id: 'call_2', name: 'read', arguments: '{"file": "a.txt"}' });
 * bad; // { action: 'report', kind: 'schema', … }
 * ```
 */
export function createGate<const Tools extends ToolDefinitions>(
  tools: Tools,
  options: GateOptions = {},
): Gate<ToolMapOf<Tools>> {
  const settings = readGateOptions(options);
  const compiler = new Compiler(settings.compile);
  const validators = readDefinitions(tools).map((tool) => createValidator(tool, compiler));
  const rules: Rules = {
    settings,
    tools: new Map(validators.map((validator) => [validator.name, validator])),
  };
  return new RulesGate<ToolMapOf<Tools>>(rules);
}

class RulesGate<Tools extends ToolMap> implements Gate<Tools> {
  readonly names: readonly string[];
  readonly #rules: Rules;

  constructor(rules: Rules) {
    this.#rules = rules;
    this.names = Object.freeze([...rules.tools.keys()]);
  }

  decide(call: GateCall, context?: DecideContext): Decision<Tools> {
    return this.#tell(call, context, decideCall(this.#rules, call, context));
  }

  async decideAsync(call: GateCall, context?: DecideContext): Promise<Decision<Tools>> {
    return this.#tell(call, context, await decideCallAsync(this.#rules, call, context));
  }

  plan(calls: readonly GateCall[], context?: DecideContext): Plan<RunOf<Tools>> {
    const decisions = listOf(calls).map((call) => decideCall(this.#rules, call, context));
    return planOf(this.#tellAll(calls, context, decisions));
  }

  async planAsync(
    calls: readonly GateCall[],
    context?: DecideContext,
  ): Promise<Plan<RunOf<Tools>>> {
    return planOf(await this.#decideAll(calls, context));
  }

  async run(calls: readonly GateCall[], options: RunOptions<Tools>): Promise<ToolResult[]> {
    return await runCalls<Tools>(async (context) => await this.#decideAll(calls, context), options);
  }

  async #decideAll(
    calls: readonly GateCall[],
    context: DecideContext | undefined,
  ): Promise<Decision<Tools>[]> {
    const deciding = listOf(calls).map(
      async (call) => await decideCallAsync(this.#rules, call, context),
    );
    return this.#tellAll(calls, context, await Promise.all(deciding));
  }

  /** Gives each decision of a turn an id of its own. */
  #tellAll(
    calls: readonly GateCall[],
    context: DecideContext | undefined,
    decisions: readonly AnyDecision[],
  ): Decision<Tools>[] {
    const ids = distinctIds(decisions.map(({ id }) => id));
    return [...calls].map((call, index) => {
      const decision = decisions[index] as AnyDecision;
      return this.#tell(call, context, withId(decision, ids[index] ?? decision.id));
    });
  }

  #tell(
    call: GateCall,
    context: DecideContext | undefined,
    decision: AnyDecision,
  ): Decision<Tools> {
    if (someoneWatches()) {
      publishDecision(this.#rules.settings, call, context, decision);
    }
    return decision as Decision<Tools>;
  }
}

type AnyDecision = RunDecision | ReportDecision;

/** A decision with an id that no other call of the turn has; what it was is a finding. */
function withId(decision: AnyDecision, id: string): AnyDecision {
  if (decision.id === id) {
    return decision;
  }
  const duplicate = shortened(decision.id, 1000);
  const finding: Finding = {
    code: 'duplicate-id',
    path: '',
    message: 'another call of the turn has the same id',
    detail: duplicate,
  };
  return { ...decision, id, findings: [...decision.findings, finding] };
}

function listOf(calls: readonly GateCall[]): readonly GateCall[] {
  if (!Array.isArray(calls)) {
    throw new TypeError(`calls must be a list (got ${typeOf(calls)})`);
  }
  // A hole in it is no call, and must not vanish.
  return [...(calls as readonly GateCall[])];
}

function planOf<Tools extends ToolMap>(decisions: readonly Decision<Tools>[]): Plan<RunOf<Tools>> {
  return {
    run: decisions.filter((decision): decision is RunOf<Tools> => isRun(decision)),
    report: decisions.filter((decision): decision is ReportDecision => !isRun(decision)),
  };
}

/** Whether a decision is to run its call. */
function isRun(decision: { readonly action: string }): decision is RunDecision {
  return decision.action === 'run';
}
