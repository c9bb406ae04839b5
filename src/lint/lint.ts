/**
 * The lint of tool definitions: findings in the order of the definitions, and of their parts.
 */

import type { ToolDefinitions } from '../gate/definitions.js';
import { Compiler } from '../gate/json-schema.js';
import { pointerTo } from '../gate/pointer.js';
import { typeOf } from '../input.js';
import { readDefinition } from './definitions.js';
import { checkParts } from './property-rules.js';
import { checkTool } from './tool-rules.js';
import { type LintFinding, type Report, lintLevels } from './types.js';

/** Tools from which on models are seen to choose worse, and those that OpenAI takes in a request. */
const TOOLS_MAX = 20;
const TOOLS_REFUSED = 128;
/** Definitions that are looked into; a `more` finding counts the others. */
const DEFINITIONS_MAX = 1000;
/** Findings that one tool may have; a `more` finding counts the others. */
const FINDINGS_MAX = 100;

/** Makes its engines when it is first asked, and keeps nothing of what it compiled. */
const compiler = new Compiler({});

/**
 * Finds what in tool definitions invites wrong calls: no description, values and ranges that stand
 * only in prose, open objects, names that a provider refuses, and so on. Each finding has a code, a
 * level, a path and a proposed mend; `docs/lint.md` explains them all.
 *
 * Definitions are taken in every shape that `createGate` takes, in a list or by name. None of them
 * makes it throw: what is hardly a definition is a finding too. The rules that read prose know
 * English. Work is linear in the size of the definitions, of which 100 levels, 100,000 values, 1 MiB
 * of text and 2000 parts of a schema are looked at for each tool, and 100 findings told; of the tools
 * the first 1000.
 *
 * @throws TypeError where `tools` is neither a list nor an object
 * @example
 * ```ts
 * const findings = lintTools([
 *   {
 *     name: 'get_weather',
 *     description: 'Returns the weather of a city. Call this when the user asks about weather.',
 *     parameters: {
 *       type: 'object',
 *       properties: {
 *         city: { type: 'string', description: "City name, e.g. 'Boston'" },
 *         unit: { type: 'string', description: 'One of: celsius, fahrenheit' },
 *       },
 *       required: ['city', 'unit'],
 *       additionalProperties: false,
 *     },
 *   },
 * ]);
 * findings.length; // 1
 * findings[0].code; // 'values-in-prose'
 * findings[0].path; // '/0/parameters/properties/unit/description'
 * findings[0].fix; // 'add "enum": ["celsius","fahrenheit"]'
 * ```
 */
export function lintTools(tools: ToolDefinitions): LintFinding[] {
  if (typeof tools !== 'object' || (tools as unknown) === null) {
    throw new TypeError(`tools must be a list or an object of definitions (got ${typeOf(tools)})`);
  }
  return lintAt(tools, '');
}

/** Lints definitions that stand at a path. */
export function lintAt(tools: object, path: string): LintFinding[] {
  const entries = entriesOf(tools);
  const findings = checkCount(entries.length, path);
  const names = new Set<string>();
  for (const [key, definition] of entries.slice(0, DEFINITIONS_MAX)) {
    const name = Array.isArray(tools) ? null : key;
    findings.push(...lintDefinition(definition, name, pointerTo(path, key), names));
  }
  const more = entries.length - DEFINITIONS_MAX;
  return more <= 0
    ? findings
    : [
        ...findings,
        {
          level: lintLevels.more,
          code: 'more',
          tool: null,
          path,
          message: `${more} more definitions were not looked into`,
          fix: `lint at most ${DEFINITIONS_MAX} at a time`,
        },
      ];
}

/** Lints one definition that stands at a path. */
export function lintOne(definition: object, path: string): LintFinding[] {
  return lintDefinition(definition, null, path, new Set());
}

function lintDefinition(
  definition: unknown,
  key: string | null,
  path: string,
  names: Set<string>,
): LintFinding[] {
  const { report, found } = collect();
  const tool = readDefinition(definition, key, path, report);
  if (tool !== null) {
    checkDuplicate(tool.name, tool.namePath, names, report);
    checkTool(tool, compiler, report);
    if (tool.schema !== null) {
      checkParts(tool.schema, tool.schemaPath, report);
    }
  }
  return found(tool?.name ?? null, path);
}

/** The definitions, by their keys; what cannot be read is none. */
function entriesOf(tools: object): [key: string, definition: unknown][] {
  const keys = Object.keys(tools).filter((key) => !Array.isArray(tools) || /^\d+$/.test(key));
  return keys.map((key) => {
    try {
      return [key, (tools as Readonly<Record<string, unknown>>)[key]];
    } catch {
      return [key, undefined];
    }
  });
}

function checkCount(count: number, path: string): LintFinding[] {
  const refused = TOOLS_REFUSED < count;
  return count <= TOOLS_MAX
    ? []
    : [
        {
          level: refused ? 'error' : lintLevels['too-many-tools'],
          code: 'too-many-tools',
          tool: null,
          path,
          message: refused
            ? `${count} tools are more than the ${TOOLS_REFUSED} that OpenAI takes`
            : `${count} tools are many to choose from: models choose worse, small ones first`,
          fix: `offer at most ${TOOLS_MAX} at a time, those that the task may need`,
        },
      ];
}

function checkDuplicate(
  name: string | null,
  path: string,
  names: Set<string>,
  report: Report,
): void {
  if (name === null) {
    return;
  }
  if (names.has(name)) {
    report(
      'duplicate-name',
      path,
      'another tool before it has the same name',
      'give each tool a name of its own',
    );
  }
  names.add(name);
}

/** Collects the findings of one tool, as many as can be told. */
function collect(): {
  report: Report;
  found: (tool: string | null, path: string) => LintFinding[];
} {
  const findings: Omit<LintFinding, 'tool'>[] = [];
  let count = 0;
  const report: Report = (code, path, message, fix, level = lintLevels[code]) => {
    count++;
    if (count <= FINDINGS_MAX) {
      findings.push({ level, code, path, message, fix });
    }
  };
  const found = (tool: string | null, path: string): LintFinding[] => {
    if (FINDINGS_MAX < count) {
      const message = `${count - FINDINGS_MAX} more were found`;
      const fix = 'mend those above, then look again';
      findings.push({ level: lintLevels.more, code: 'more', path, message, fix });
    }
    return findings.map(({ level, code, path: at, message, fix }) => {
      return { level, code, tool, path: at, message, fix };
    });
  };
  return { report, found };
}
