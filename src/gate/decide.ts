/**
 * The decision on one call: normalised, parsed, looked into, validated, in that order.
 */

import { types } from 'node:util';

import { checkStop, readCount, readOptions, typeOf } from '../input.js';
import { inspect } from '../native.js';
import type { GateReportKind, Outcome, Reported, StopSignal, ToolArguments } from '../outcome.js';
import { parseToolArguments } from '../parse.js';
import { type Complaint, NAMES_MAX, buildComplaint, echoOf, withLastAttempt } from '../report.js';
import { type RepairNames, bySchema, fromRepairNames, setOf, toRepairNames } from '../repairs.js';
import { mintId } from '../wire/id.js';
import type { ToolCall } from '../wire/types.js';
import {
  everything,
  findingsIn,
  forbiddenOnly,
  readFindings,
  withoutForbidden,
} from './inspect.js';
import type { Issues } from './issues.js';
import { nearestFirst } from './nearest.js';
import type { GateSettings } from './options.js';
import { findTextRepairs, repairBySchema, shapeOf } from './schema-repairs.js';
import type { DecideContext, Finding, GateCall, ReportDecision, RunDecision } from './types.js';
import { type Checked, type Validator, askCheck, askLater, askNow } from './validator.js';
import { shortened, wordsOf } from './words.js';

/** Characters of an unknown tool's name that a report repeats. */
const NAME_MAX = 100;

/** What decisions are made with. */
export interface Rules {
  readonly settings: GateSettings;
  readonly tools: ReadonlyMap<string, Validator>;
}

/** A call whose text is accepted, before its schema is asked. */
interface Read {
  readonly call: Known;
  readonly tool: Validator;
  readonly value: ToolArguments;
  readonly text: string;
  readonly repairs: RepairNames;
  /** Whether the wire says that the call was not cut off. */
  readonly finished: boolean;
  readonly findings: Finding[];
}

/** What is known of a call whatever becomes of it. */
interface Known {
  readonly id: string;
  readonly name: string;
  readonly final: boolean;
}

const none: readonly Finding[] = Object.freeze([]);
const uniqueObject = setOf('unique-object');
const asItIs: RepairNames = Object.freeze({ repair: 'none' });
const plainContext = { stop: 'finished', corrections: 0 } as const;

/** Decides on a call. */
export function decideCall(
  rules: Rules,
  call: GateCall,
  context?: DecideContext,
): RunDecision | ReportDecision {
  const read = readCall(rules, call, context);
  if ('action' in read) {
    return read;
  }
  const { standard, name } = read.tool;
  if (standard === null) {
    return validate(rules, read);
  }
  const checked = askNow(name, standard, read.value, read.text);
  const again = 'issues' in checked ? repaired(rules, read) : null;
  if (again === null || 'action' in again) {
    return again ?? conclude(rules, read, checked);
  }
  const second = askNow(name, standard, again.value, again.text);
  return 'issues' in second ? conclude(rules, read, checked) : conclude(rules, again, second);
}

/** Decides on a call whose schema may answer later. */
export async function decideCallAsync(
  rules: Rules,
  call: GateCall,
  context?: DecideContext,
): Promise<RunDecision | ReportDecision> {
  const read = readCall(rules, call, context);
  if ('action' in read) {
    return read;
  }
  const { name, standard } = read.tool;
  if (standard === null) {
    return validate(rules, read);
  }
  const checked = await askLater(name, standard, read.value, read.text);
  const again = 'issues' in checked ? repaired(rules, read) : null;
  if (again === null || 'action' in again) {
    return again ?? conclude(rules, read, checked);
  }
  const second = await askLater(name, standard, again.value, again.text);
  return 'issues' in second ? conclude(rules, read, checked) : conclude(rules, again, second);
}

function validate(rules: Rules, read: Read): RunDecision | ReportDecision {
  const issues = issuesOf(read);
  if (issues === null) {
    return accept(rules, read, read.value, read.text);
  }
  const again = repaired(rules, read);
  if (again !== null && 'action' in again) {
    return again;
  }
  // What the model is told is about what it sent.
  return again === null || issuesOf(again) !== null
    ? reportIssues(rules, read, issues)
    : accept(rules, again, again.value, again.text);
}

/** What the tool's JSON Schema says of a call. */
function issuesOf({ tool, value, text }: Read): Issues | null {
  return tool.check === null ? null : askCheck(tool.name, tool.check, value, text.length);
}

/** A call that its schema refuses, repaired by that schema; `null` where nothing can be, or may. */
function repaired(rules: Rules, read: Read): Read | ReportDecision | null {
  const { tool, findings } = read;
  const { repairs, findings: wanted } = rules.settings;
  if ((repairs & bySchema) === 0 || !read.finished || tool.json === null) {
    return null;
  }
  const result = repairBySchema(shapeOf(tool, tool.json), read.text, repairs & bySchema);
  if (result === null) {
    return null;
  }
  const { value, text } = result;
  const { set, foundBy } = fromRepairNames(read.repairs);
  const more = result.findings.filter(
    ({ code }) => wanted || code === 'repaired' || code === 'forbidden-key',
  );
  return applyFindings(rules, {
    ...read,
    value,
    text,
    repairs: toRepairNames(set | result.set, foundBy),
    findings: [...findings, ...more],
  });
}

function readCall(
  rules: Rules,
  call: GateCall,
  context: DecideContext | undefined,
): Read | ReportDecision {
  if (typeof call !== 'object' || call === null) {
    throw new TypeError(`call must be an object (got ${typeOf(call)})`);
  }
  if (isToolCall(call)) {
    checkToolCall(call);
  }
  const { settings, tools } = rules;
  const { stop, corrections } = context === undefined ? plainContext : readContext(context);
  // Whatever a server makes of them: a call without a name is one of no tool, and one without an id
  // gets one, because the answer has to name it.
  const id = textOf(call.id) || mintId('call_');
  const name = textOf(call.name);
  const known = { id, name, final: settings.maxCorrections <= corrections };
  const tool = tools.get(name);
  const wanted = settings.findings ? everything : forbiddenOnly;

  if (tool !== undefined && !('outcome' in call) && stop === 'finished') {
    const raw = call.arguments;
    // The way of nearly every call: text that is one object and nothing else.
    if (typeof raw === 'string' && raw.length * 3 <= settings.maxBytes) {
      const count = inspect(raw, wanted);
      if (count >= 0) {
        const findings = count === 0 ? [] : readFindings();
        const value = JSON.parse(raw) as ToolArguments;
        const read = {
          call: known,
          tool,
          value,
          text: raw,
          repairs: asItIs,
          finished: true,
          findings,
        };
        return applyFindings(rules, read);
      }
    }
  }

  const outcome = textOutcome(call, name, stop, settings);
  if (tool === undefined) {
    return reportUnknown(rules, known, outcome);
  }
  if (outcome.status === 'reported') {
    return report(known, outcome, none);
  }
  const { text } = outcome;
  // A schema of that sort may change what it is given, and the call's outcome is the caller's.
  const copy = tool.standard !== null && isToolCall(call);
  const value = copy ? (JSON.parse(text) as ToolArguments) : outcome.value;
  const findings = findingsIn(text, value, wanted);
  const { set, foundBy } = fromRepairNames(outcome);
  findTextRepairs(set, findings);
  const otherText = foundBy === 'prose' || (set & uniqueObject) !== 0;
  if (settings.findings && otherText && textFollows(call, outcome.span.end)) {
    findings.push({
      code: 'more-text-follows',
      path: '',
      message: 'behind the object stands other text, which was left out',
    });
  }
  const finished = isToolCall(call) ? call.finished : stop === 'finished';
  return applyFindings(rules, {
    call: known,
    tool,
    value,
    text,
    repairs: outcome,
    finished,
    findings,
  });
}

function textOf(given: unknown): string {
  return typeof given === 'string'
    ? given
    : typeof given === 'number' || typeof given === 'bigint'
      ? String(given)
      : '';
}

function readContext(context: DecideContext): { stop: StopSignal; corrections: number } {
  const read = readOptions(context, ['stop', 'corrections'], 'context');
  const { stop = 'finished', corrections } = read;
  checkStop(stop, 'context.stop');
  return { stop, corrections: readCount(corrections, 'context.corrections', 0) };
}

/** The decision on the text, made here or where the wire was read. */
function textOutcome(
  call: GateCall,
  name: string,
  stop: StopSignal,
  { echoLimit, maxBytes, stopHint, textRepairs: repairs }: GateSettings,
): Outcome {
  const options = { stop, echoLimit, maxBytes, stopHint, repairs };
  if (!isToolCall(call)) {
    return parseToolArguments(name, call.arguments, options);
  }
  const { outcome, text, finished } = call;
  if (outcome === null) {
    // A call of another kind has text and no arguments; what it says is read as they would be.
    const cut = stop === 'finished' ? 'interrupted' : stop;
    return parseToolArguments(name, text, { ...options, stop: finished ? 'finished' : cut });
  }
  const reported = outcome.status === 'reported' && outcome.kind === 'malformed';
  if (!reported || !finished || text === '' || repairs.length === 0) {
    return outcome;
  }
  // The wire, which has its own limits, repairs nothing.
  const again = parseToolArguments(name, text, { repairs, maxBytes: Infinity });
  return again.status === 'accepted' ? again : outcome;
}

export function isToolCall(call: GateCall): call is ToolCall {
  return 'outcome' in call;
}

/** @throws TypeError where what has an outcome is nothing that a wire gave */
function checkToolCall(call: ToolCall): void {
  const { outcome, text }: { readonly outcome: unknown; readonly text: unknown } = call;
  const read = (outcome ?? {}) as Partial<Record<'status' | 'message' | 'text', unknown>>;
  const isOutcome =
    outcome === null ||
    (read.status === 'reported' && typeof read.message === 'string') ||
    (read.status === 'accepted' && typeof read.text === 'string');
  if (!isOutcome || typeof text !== 'string') {
    const [argument, given] = isOutcome ? ['text', text] : ['outcome', outcome];
    throw new TypeError(
      `call.${argument} must be as a wire gave it (got ${typeOf(given)}): a call that came from elsewhere has arguments and no outcome`,
    );
  }
}

function textFollows(call: GateCall, end: number): boolean {
  const raw: unknown = isToolCall(call) ? call.text : call.arguments;
  if (typeof raw === 'string') {
    return raw.slice(end).trim() !== '';
  }
  return (
    ArrayBuffer.isView(raw) &&
    Buffer.from(raw.buffer, raw.byteOffset + end, raw.byteLength - end)
      .toString()
      .trim() !== ''
  );
}

/** What was found in a text decides before the schema does. */
function applyFindings(rules: Rules, read: Read): Read | ReportDecision {
  const { settings } = rules;
  const { call, findings } = read;
  if (findings.length === 0) {
    return read;
  }
  const forbidden = findings.find(({ code }) => code === 'forbidden-key');
  if (forbidden !== undefined && settings.forbiddenKeys === 'report') {
    const { path, detail: key = '' } = forbidden;
    return complain(rules, read, { kind: 'forbidden-key', key, path });
  }
  const leaks = findings.filter(({ code }) => code === 'thinking-leak');
  if (leaks.length > 0 && settings.thinkingLeak === 'report') {
    const issues = leaks.map(({ path, detail = '' }) => ({
      path: shortened(path, 200),
      expected: 'a value without reasoning',
      received: wordsOf(detail),
    }));
    return reportIssues(rules, read, { issues, more: false });
  }
  if (forbidden === undefined || settings.forbiddenKeys !== 'remove') {
    return read;
  }
  const value = withoutForbidden(read.text);
  return {
    ...read,
    call,
    value,
    text: JSON.stringify(value),
    findings: findings.map((finding) =>
      finding.code === 'forbidden-key' ? removed(finding) : finding,
    ),
  };
}

function removed({ code, path, detail = '' }: Finding): Finding {
  return { code, path, message: `the key \`${detail}\` was removed`, detail };
}

/** What a Standard Schema says becomes a decision. */
function conclude(rules: Rules, read: Read, checked: Checked): RunDecision | ReportDecision {
  if ('issues' in checked) {
    return reportIssues(rules, read, checked.issues);
  }
  const { value, transformed } = checked;
  if (!transformed) {
    return accept(rules, read, value, read.text);
  }
  const text = losslessJson(value);
  read.findings.push({
    code: 'schema-transformed',
    path: '',
    message:
      text === null
        ? 'the schema made something else of the arguments that has no JSON: the text is what came'
        : 'the schema made something else of the arguments',
  });
  return accept(rules, read, value, text ?? read.text);
}

/** The JSON of what a schema made, where that is an object and nothing of it is lost. */
function losslessJson(value: unknown): string | null {
  try {
    const text = JSON.stringify(value, refuseLoss) as string | undefined;
    return text?.startsWith('{') === true ? text : null;
  } catch {
    return null;
  }
}

/** `JSON.stringify` would make every map and set an empty object. */
function refuseLoss(_key: string, value: unknown): unknown {
  if (types.isMap(value) || types.isSet(value)) {
    throw new TypeError('it has no JSON');
  }
  return value;
}

function accept({ settings }: Rules, read: Read, value: unknown, text: string): RunDecision {
  const { call, tool, findings } = read;
  const { repair, repairs } = read.repairs;
  if (settings.findings && tool.known !== null) {
    tool.known.find(read.value, findings);
  }
  const decision: RunDecision = {
    action: 'run',
    id: call.id,
    name: call.name,
    arguments: value as ToolArguments,
    text,
    repair,
    findings: findings.length === 0 ? none : findings,
  };
  return repairs === undefined ? decision : { ...decision, repairs };
}

function reportIssues(rules: Rules, read: Read, issues: Issues): ReportDecision {
  const { json } = read.tool;
  const { schemaLimit } = rules.settings;
  const schema = json === null || schemaLimit === 0 ? null : shortened(json, schemaLimit);
  return complain(rules, read, { kind: 'schema', ...issues, schema });
}

function complain({ settings }: Rules, read: Read, about: Complaint): ReportDecision {
  const { call, text, findings } = read;
  const { echoLimit } = settings;
  return report(
    call,
    buildComplaint({
      name: call.name,
      about,
      ...echoOf(text, echoLimit),
      replay: about.kind === 'forbidden-key' ? safeText(text) : text,
      echoLimit,
    }),
    findings,
  );
}

/** What stands in history must not reach a prototype where somebody else reads it. */
function safeText(text: string): string {
  return JSON.stringify(withoutForbidden(text));
}

function reportUnknown({ settings, tools }: Rules, call: Known, outcome: Outcome): ReportDecision {
  const { echoLimit } = settings;
  const names = nearestFirst(call.name, [...tools.keys()]);
  const accepted = outcome.status === 'accepted';
  return report(
    call,
    buildComplaint({
      name: shortened(call.name, NAME_MAX),
      about: {
        kind: 'unknown-tool',
        names: names.slice(0, NAMES_MAX),
        more: NAMES_MAX < names.length,
      },
      ...(accepted ? echoOf(outcome.text, echoLimit) : { echo: outcome.echo, more: false }),
      replay: accepted ? safeText(outcome.text) : outcome.replay,
      echoLimit,
    }),
    none,
  );
}

function report(
  { id, name, final }: Known,
  outcome: Reported<GateReportKind>,
  findings: readonly Finding[],
): ReportDecision {
  const { kind, message } = outcome;
  return {
    action: 'report',
    id,
    name,
    kind,
    message: final ? withLastAttempt(message) : message,
    final,
    outcome,
    findings,
  };
}
