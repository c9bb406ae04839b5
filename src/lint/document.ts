/**
 * The lint of a file: definitions in whichever of their usual wrappings.
 */

import { pointerTo } from '../gate/pointer.js';
import { type Members, isMembers } from './definitions.js';
import { lintAt, lintOne } from './lint.js';
import { lintBodyAt } from './request.js';
import type { LintFinding } from './types.js';

/**
 * Lints a list of definitions, definitions by name, one alone, what MCP's `tools/list` answers, or a
 * request body; `null` where a document is none of these.
 */
export function lintDocument(document: unknown): LintFinding[] | null {
  if (Array.isArray(document)) {
    return lintAt(document, '');
  }
  if (!isMembers(document)) {
    return null;
  }
  const { jsonrpc, result } = document;
  if (isMembers(result) && (jsonrpc !== undefined || Array.isArray(result['tools']))) {
    return lintBodyAt(result, pointerTo('', 'result'));
  }
  if (isBody(document)) {
    return lintBodyAt(document, '');
  }
  return isDefinition(document) ? lintOne(document, '') : lintAt(document, '');
}

function isBody({ tools, functions, model, messages }: Members): boolean {
  return (
    Array.isArray(tools) ||
    Array.isArray(functions) ||
    typeof model === 'string' ||
    Array.isArray(messages)
  );
}

function isDefinition({ name, type, function: inner }: Members): boolean {
  return typeof name === 'string' || (type === 'function' && isMembers(inner));
}
