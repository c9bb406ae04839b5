/**
 * The lint of a whole request: its tools, and what it asks for beside them.
 */

import { pointerTo } from '../gate/pointer.js';
import { typeOf } from '../input.js';
import { isMembers } from './definitions.js';
import { lintAt } from './lint.js';
import { type LintFinding, lintLevels } from './types.js';

/** Above it, models are more inventive than a call can bear. */
const TEMPERATURE_MAX = 0.3;

/**
 * Finds what {@link lintTools} finds in the tools of a request body, and a temperature above 0.3
 * beside them. Takes bodies of OpenAI's chat completions and responses, of Anthropic's messages, and
 * of what speaks like them (Ollama's `options.temperature` too). Tools that a provider brings itself
 * are passed over, and a body without tools has no findings.
 *
 * @throws TypeError where `body` is no object
 * @example
 * ```ts
 * const tool = {
 *   type: 'function',
 *   function: {
 *     name: 'list_files',
 *     description: 'Lists the files of the project. Call this before reading one.',
 *     parameters: { type: 'object', properties: {}, additionalProperties: false },
 *   },
 * };
 * const findings = lintRequest({ model: 'small', temperature: 0.8, messages: [], tools: [tool] });
 * findings.map(({ code, path }) => `${code} ${path}`); // ['high-temperature /temperature']
 * ```
 */
export function lintRequest(body: object): LintFinding[] {
  if (!isMembers(body)) {
    throw new TypeError(`body must be an object (got ${typeOf(body)})`);
  }
  return lintBodyAt(body, '');
}

/** Lints a request, or whatever else has `tools`, that stands at a path. */
export function lintBodyAt(body: Readonly<Record<string, unknown>>, path: string): LintFinding[] {
  const members = ['tools', 'functions'].flatMap((key): [string, unknown][] => {
    const tools = memberOf(body, key);
    return tools === undefined || tools === null ? [] : [[key, tools]];
  });
  const findings = members.flatMap(([key, tools]) => lintList(tools, pointerTo(path, key)));
  const none = members.every(([, tools]) => Array.isArray(tools) && tools.length === 0);
  return none ? findings : [...checkTemperature(body, path), ...findings];
}

function lintList(tools: unknown, path: string): LintFinding[] {
  return Array.isArray(tools)
    ? lintAt(tools, path)
    : [
        {
          level: lintLevels['not-a-definition'],
          code: 'not-a-definition',
          tool: null,
          path,
          message: `a request's tools are a list, and this is ${typeOf(tools)}`,
          fix: 'give a list of definitions',
        },
      ];
}

function checkTemperature(body: Readonly<Record<string, unknown>>, path: string): LintFinding[] {
  const places: [at: string, temperature: unknown][] = [
    [pointerTo(path, 'temperature'), memberOf(body, 'temperature')],
    [pointerTo(pointerTo(path, 'options'), 'temperature'), optionOf(body)],
  ];
  return places.flatMap(([at, temperature]): LintFinding[] =>
    typeof temperature === 'number' && TEMPERATURE_MAX < temperature
      ? [
          {
            level: lintLevels['high-temperature'],
            code: 'high-temperature',
            tool: null,
            path: at,
            message: `a temperature of ${temperature} makes calls more inventive than right`,
            fix: 'set it between 0.1 and 0.3 for requests with tools',
          },
        ]
      : [],
  );
}

function optionOf(body: Readonly<Record<string, unknown>>): unknown {
  const options = memberOf(body, 'options');
  return isMembers(options) ? memberOf(options, 'temperature') : undefined;
}

/** A member that may be a getter which throws; then there is none. */
function memberOf(object: Readonly<Record<string, unknown>>, key: string): unknown {
  try {
    return object[key];
  } catch {
    return undefined;
  }
}
