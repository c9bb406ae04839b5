/**
 * What an agent does with a finished call: run it with exactly these arguments, or send exactly this
 * back.
 */

export { createGate } from './gate.js';
export { toHistory, toToolResult } from './history.js';
export { createDecisionCounters, createDecisionLog } from './log.js';
export { callWithRetry } from './retry.js';
export { ToolCallRetryError } from './retry-error.js';
export { lintTools } from '../lint/lint.js';
export { lintRequest } from '../lint/request.js';

export type {
  JsonSchema,
  ParameterSchema,
  ToolDefinition,
  ToolDefinitions,
} from './definitions.js';
export type { Gate } from './gate.js';
export type {
  Answered,
  ChatToolCall,
  ChatToolMessage,
  FunctionCallItem,
  FunctionCallOutput,
  HistoryCalls,
  HistoryOptions,
  ToolResultBlock,
  ToolResults,
  ToolUseBlock,
} from './history.js';
export type { ArgumentsOf, FromSchema, ToolMapOf } from './infer.js';
export type { CompileOptions, FormatCheck } from './json-schema.js';
export type { DecisionCounters, DecisionCounts, DecisionLogOptions, Listener } from './log.js';
export type { ArgumentShape, DecisionMessage, RetryMessage } from './observe.js';
export type { GateOptions } from './options.js';
export type { RedactInfo, RedactOptions } from './redact.js';
export type { LintCode, LintFinding, LintLevel } from '../lint/types.js';
export type { Answer, Attempt, RetryOptions, TextCall } from './retry.js';
export type { RetryErrorKind } from './retry-error.js';
export type {
  Handler,
  HandlerContext,
  Handlers,
  RunOptions,
  ToolResult,
  ToolUpdate,
} from './run.js';
export type {
  DecideContext,
  Decision,
  Finding,
  FindingCode,
  GateCall,
  Plan,
  RawCall,
  ReportDecision,
  RunDecision,
  RunOf,
  ToolMap,
} from './types.js';
