/**
 * The rules about a tool as a whole: its name, its description, and what it says of its arguments.
 */

import type { Compiler } from '../gate/json-schema.js';
import { pointerTo } from '../gate/pointer.js';
import { shortened } from '../gate/words.js';
import type { LintTool, Members } from './definitions.js';
import { isProse, partsOf, saysType } from './schema.js';
import { isReadable, onlyRepeats, saysWhen, showsExample } from './prose.js';
import type { Report } from './types.js';

/** What a provider takes as a tool's name. */
interface NameRule {
  readonly provider: string;
  readonly pattern: RegExp;
  readonly lengthMax: number;
}

/** What is refused elsewhere (MCP servers often have `.` or `/` in names) costs the whole request. */
const nameRules: readonly NameRule[] = [
  { provider: 'OpenAI', pattern: /^[\w-]+$/, lengthMax: 64 },
  { provider: 'Anthropic', pattern: /^[\w-]+$/, lengthMax: 128 },
  { provider: 'Gemini', pattern: /^[A-Za-z_][\w.:-]*$/, lengthMax: 64 },
];

/** Characters of a description that some of OpenAI's models and Azure's take. */
const DESCRIPTION_MAX = 1024;
/** Characters of a schema's JSON, about a thousand tokens. */
const SCHEMA_MAX = 4000;
/** Characters of a schema that is compiled, to see whether that works: the time grows as the square. */
const COMPILED_MAX = 1 << 14;

/** Anthropic's pattern for the members of `properties`. */
const propertyName = /^[\w.-]{1,64}$/;

const emptySchema = '{"type": "object", "properties": {}, "additionalProperties": false}';

/** Looks at one tool's name, description and schema as a whole. */
export function checkTool(tool: LintTool, compiler: Compiler, report: Report): void {
  checkName(tool, report);
  checkDescription(tool, report);
  const { schema, schemaPath } = tool;
  if (schema !== null) {
    checkSchema(schema, schemaPath, compiler, report);
    checkExample(tool, schema, report);
  } else if (!tool.saysWhatItTakes) {
    report(
      'no-schema',
      tool.path,
      'nothing says what the arguments are, so a model makes some up',
      `describe them, or say that there are none: \`${emptySchema}\``,
    );
  }
}

function checkName({ name, namePath }: LintTool, report: Report): void {
  if (name === null) {
    return;
  }
  const refusing = nameRules.filter(
    ({ pattern, lengthMax }) => !pattern.test(name) || lengthMax < name.length,
  );
  if (refusing.length > 0) {
    const who = refusing.map(({ provider }) => provider).join(', ');
    report(
      'name-refused',
      namePath,
      `the name is refused, and the request with it, by: ${who}`,
      `call it \`${safeName(name)}\`: letters, digits, \`_\` and \`-\`, a letter first, 64 at most`,
    );
  }
}

function safeName(name: string): string {
  const safe = name
    .slice(0, 200)
    .replaceAll(/[^\w-]+/g, '_')
    .replace(/^_+(?=\w)/, '');
  const named = /^[A-Za-z]/.test(safe) ? safe : `tool_${safe}`;
  return named.replace(/_+$/, '').slice(0, 64);
}

function checkDescription({ name, path, description }: LintTool, report: Report): void {
  const at = pointerTo(path, 'description');
  const fix = 'say in a sentence or two what it does, when to call it, and what it returns';
  if (!isProse(description)) {
    report('no-description', path, 'nothing says what the tool does', fix);
    return;
  }
  if (name !== null && onlyRepeats(description, name)) {
    report('no-description', at, 'the description says no more than the name', fix);
    return;
  }
  if (isReadable(description) && !saysWhen(description)) {
    report(
      'no-when',
      at,
      'the description does not say when to call the tool, so a model guesses',
      'add when: "Call this when the user asks about …", and when not to',
    );
  }
  if (DESCRIPTION_MAX < description.length) {
    report(
      'long-description',
      at,
      `the description has ${description.length} characters: small models lose the thread, and ` +
        `some OpenAI and Azure models refuse more than ${DESCRIPTION_MAX}`,
      `shorten it to ${DESCRIPTION_MAX} characters, and move details to the properties`,
    );
  }
}

function checkSchema(schema: Members, path: string, compiler: Compiler, report: Report): void {
  if (schema['type'] !== 'object') {
    const got = schema['type'] === undefined ? 'no type' : `type ${wordOf(schema['type'])}`;
    report(
      'not-an-object-schema',
      path,
      `arguments are an object, and the schema has ${got}: providers refuse it`,
      'set "type": "object" at the top',
    );
  }
  const combined = ['anyOf', 'oneOf', 'allOf'].find((keyword) => schema[keyword] !== undefined);
  if (combined !== undefined) {
    report(
      'not-an-object-schema',
      pointerTo(path, combined),
      `\`${combined}\` at the top is refused by OpenAI and Anthropic`,
      'list all properties in one object, or make two tools',
    );
  }
  checkPropertyNames(schema, path, report);
  const json = JSON.stringify(schema);
  if (SCHEMA_MAX < json.length) {
    report(
      'long-schema',
      path,
      `the schema has ${json.length} characters: that is much for a small model to hold`,
      `keep it below ${SCHEMA_MAX}: fewer properties, flatter, or two tools`,
    );
  }
  if (json.length <= COMPILED_MAX) {
    checkCompiles(schema, path, compiler, report);
  }
}

function checkPropertyNames(schema: Members, path: string, report: Report): void {
  const at = pointerTo(path, 'properties');
  for (const name of Object.keys(schema['properties'] ?? {})) {
    if (!propertyName.test(name)) {
      report(
        'property-name-refused',
        pointerTo(at, name),
        'the name is refused by Anthropic, and the request with it',
        'use 1 to 64 letters, digits, `_`, `-` and `.`',
      );
    }
  }
}

function checkCompiles(schema: Members, path: string, compiler: Compiler, report: Report): void {
  try {
    compiler.compile('tool', schema);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const why = message.replace(/^the schema of `tool` cannot be compiled: /, '');
    report(
      'invalid-schema',
      path,
      `\`createGate\` refuses the schema: ${shortened(why, 300)}`,
      'make it valid JSON Schema, 2020-12 or, by `$schema`, draft-07, with every `$ref` inside it',
    );
  }
}

/** Only what can be written in many ways is better shown than described. */
function checkExample(tool: LintTool, schema: Members, report: Report): void {
  let needed = false;
  for (const { schema: one, property } of partsOf(schema, '')) {
    const { description, examples, example } = one;
    if (
      examples !== undefined ||
      example !== undefined ||
      (isProse(description) && showsExample(description))
    ) {
      return;
    }
    needed ||= property !== null && isFree(one);
  }
  const { description } = tool;
  if (needed && !tool.hasExamples && !(isProse(description) && showsExample(description))) {
    const at = isProse(description) ? pointerTo(tool.path, 'description') : tool.path;
    const name = shortened(tool.name ?? 'tool', 64);
    report(
      'no-example',
      at,
      'no example shows what the arguments look like',
      `add one to the description: "Example: ${name}(…)", or "e.g. …" to a property's`,
    );
  }
}

function isFree(schema: Members): boolean {
  const { type } = schema;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  const listed = schema['enum'] !== undefined || schema['const'] !== undefined;
  return !listed && (!saysType(schema) || types.some((one) => isWritten(one)));
}

function isWritten(type: unknown): boolean {
  return type === 'string' || type === 'array' || type === 'object';
}

function wordOf(value: unknown): string {
  return shortened(JSON.stringify(value) ?? 'nothing', 60);
}
