/**
 * Tool calls out of responses: bytes, events or bodies in, and what became of each call.
 */

export { createToolCallAssembler } from './assembler.js';
export { toolCallsFromBody } from './body.js';
export { watchFetch } from './fetch.js';
export { createToolCallStream } from './stream.js';
export { tapToolCalls } from './tap.js';

export type { ToolCallAssembler } from './assembler.js';
export type { WatchOptions } from './fetch.js';
export type { ToolCallStream } from './stream.js';
export type { TapOptions } from './tap.js';
export type {
  FinishEvent,
  FragmentEvent,
  StartEvent,
  ToolCall,
  ToolCallEvent,
  VerdictEvent,
  WireErrorEvent,
  WireFormat,
  WireOptions,
} from './types.js';
