/**
 * argspan reads the arguments of a model's tool call: is this acceptable, where is the object, and
 * if not, what exactly should the model be told.
 */

export { ArgumentsError } from './error.js';
export { check, parse, parseToolArguments } from './parse.js';
export { createScanner } from './scanner.js';

export type {
  Accepted,
  Check,
  DecisionOptions,
  GateReportKind,
  Outcome,
  Repair,
  ReportKind,
  Reported,
  RuleRepair,
  ScanError,
  ScanErrorCode,
  SchemaRepair,
  Span,
  StopSignal,
  TextRepair,
  ToolArguments,
  Verdict,
} from './outcome.js';
export type { Reviver } from './parse.js';
export type { ArgumentScanner, ScannerOptions } from './scanner.js';
