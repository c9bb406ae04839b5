/**
 * What the AI SDK asks when a tool call cannot be read: the same decision, in its shapes.
 */

export { createRepairToolCall, repairToolCall } from './repair.js';

export type { FailedToolCall, RepairOptions, RepairToolCall, SdkToolCall } from './repair.js';
