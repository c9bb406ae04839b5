/**
 * What a validator says, in the words of a message.
 */

import type { ErrorObject } from 'ajv';

import type { Issue } from '../report.js';
import { pointerTo } from './pointer.js';
import { choiceOf, namesOf, shortened, wordsOf } from './words.js';

/** Issues that a message names. */
const ISSUES_MAX = 8;
const PATH_MAX = 200;
const EXPECTED_MAX = 200;
/** Parts of a path that are looked at. */
const PARTS_MAX = 256;

/** What a schema does not allow. */
export interface Issues {
  readonly issues: readonly Issue[];
  readonly more: boolean;
}

/** The first issues of a list. */
function firstIssues(all: readonly Issue[]): Issues {
  const issues = all.slice(0, ISSUES_MAX).map((issue) => ({
    path: shortened(issue.path, PATH_MAX),
    expected: issue.expected,
    received: issue.received,
  }));
  return { issues, more: ISSUES_MAX < all.length };
}

/** The issues in what ajv says. */
export function issuesOfAjv(errors: readonly ErrorObject[]): Issues {
  // Why none of several forms fits is said in one issue, and not once a form.
  const forms = errors
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .map(({ schemaPath }) => `${schemaPath}/`);
  const own = errors.filter(
    ({ keyword, schemaPath }) =>
      keyword !== 'if' && !forms.some((form) => schemaPath.startsWith(form)),
  );
  const issues = own.map((error) => issueOfAjv(error));
  const seen = new Set<string>();
  const distinct = issues.filter(({ path, expected }) => {
    const line = `${path}: ${expected}`;
    return !seen.has(line) && seen.add(line);
  });
  return firstIssues(distinct);
}

function issueOfAjv(error: ErrorObject): Issue {
  const { instancePath: path, keyword, data } = error;
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return {
        path: pointerTo(path, String(params['missingProperty'])),
        expected: 'a required member',
        received: 'nothing',
      };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const { properties } = (error.parentSchema ?? {}) as { properties?: unknown };
      const known =
        typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
      return {
        path: pointerTo(path, key),
        expected: `no member of this name (known: ${namesOf(known)})`,
        received: wordsOf(memberOf(data, key)),
      };
    }
    default:
      return { path, expected: expectedBy(keyword, params, error), received: wordsOf(data) };
  }
}

function memberOf(data: unknown, key: string): unknown {
  return typeof data === 'object' && data !== null && Object.hasOwn(data, key)
    ? (data as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  null: 'null',
  array: 'an array',
  object: 'an object',
};

function typesOf(type: unknown): string {
  const types: unknown[] = Array.isArray(type) ? type : String(type).split(',');
  return types.map((one) => typeWords[String(one)] ?? String(one)).join(' or ');
}

function expectedBy(
  keyword: string,
  params: Readonly<Record<string, unknown>>,
  { message }: ErrorObject,
): string {
  const limit = String(params['limit']);
  switch (keyword) {
    case 'type':
      return typesOf(params['type']);
    case 'enum':
      return choiceOf(params['allowedValues'] as readonly unknown[]);
    case 'const':
      return JSON.stringify(params['allowedValue']) ?? 'nothing';
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `a number ${String(params['comparison'])} ${limit}`;
    case 'multipleOf':
      return `a multiple of ${String(params['multipleOf'])}`;
    case 'minLength':
      return `at least ${limit} characters`;
    case 'maxLength':
      return `at most ${limit} characters`;
    case 'minItems':
      return `at least ${limit} items`;
    case 'maxItems':
      return `at most ${limit} items`;
    case 'minProperties':
      return `at least ${limit} members`;
    case 'maxProperties':
      return `at most ${limit} members`;
    case 'uniqueItems':
      return 'items that differ';
    case 'pattern':
      return `a string that matches ${shortened(String(params['pattern']), 100)}`;
    case 'format':
      return `a string in the format ${String(params['format'])}`;
    case 'anyOf':
      return 'one of the forms that the parameters allow';
    case 'oneOf':
      return 'exactly one of the forms that the parameters allow';
    case 'false schema':
      return 'nothing here';
    default:
      return shortened(message ?? 'something else', 100);
  }
}

/** The issues in what a Standard Schema says of a value, whatever it is that it says. */
export function issuesOfStandard(issues: readonly unknown[], value: unknown): Issues {
  const known = issues.slice(0, ISSUES_MAX + 1).map((issue) => issueOfStandard(issue, value));
  return firstIssues(known.length === 0 ? [issueOfStandard({}, value)] : known);
}

function issueOfStandard(issue: unknown, value: unknown): Issue {
  const { message, path } = (issue ?? {}) as { message?: unknown; path?: unknown };
  const parts: readonly unknown[] = Array.isArray(path) ? path.slice(0, PARTS_MAX) : [];
  const keys = parts.map((part) =>
    String(typeof part === 'object' && part !== null ? (part as { key?: unknown }).key : part),
  );
  return {
    path: keys.reduce((before, key) => pointerTo(before, key), ''),
    expected:
      typeof message === 'string' && message !== ''
        ? shortened(message.slice(0, EXPECTED_MAX * 2 + 2).replace(/\.$/, ''), EXPECTED_MAX)
        : 'something else',
    received: wordsOf(keys.reduce((inside: unknown, key) => memberOf(inside, key), value)),
  };
}

/** The issue of a value whose check did not come to an end. */
export function issueOfThrown(why: string, value: unknown): Issues {
  const expected = `arguments that can be checked (${shortened(why, EXPECTED_MAX)})`;
  return { issues: [{ path: '', expected, received: wordsOf(value) }], more: false };
}
