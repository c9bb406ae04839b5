/**
 * What a lint says.
 */

/**
 * How grave a finding is.
 *
 * - `error`: a provider or {@link createGate} refuses it, or no call can be right
 * - `warning`: it invites wrong calls
 * - `info`: something that small models are helped by is missing
 */
export type LintLevel = 'error' | 'warning' | 'info';

/** Each kind of finding, with its level. `docs/lint.md` says why, and how to mend it. */
export const lintLevels = {
  'not-a-definition': 'error',
  'no-name': 'error',
  'duplicate-name': 'error',
  'name-refused': 'error',
  'invalid-schema': 'error',
  'not-an-object-schema': 'error',
  'property-name-refused': 'error',
  'unknown-required': 'error',
  'too-many-tools': 'warning',
  'high-temperature': 'warning',
  'no-description': 'warning',
  'no-when': 'warning',
  'long-description': 'warning',
  'no-schema': 'warning',
  'long-schema': 'warning',
  'open-object': 'warning',
  'property-without-type': 'warning',
  'property-without-description': 'warning',
  'values-in-prose': 'warning',
  'range-in-prose': 'warning',
  'opaque-schema': 'info',
  'no-example': 'info',
  'enum-not-repeated': 'info',
  'optional-without-default': 'info',
  more: 'info',
} as const satisfies Readonly<Record<string, LintLevel>>;

/** Of which kind a finding is. Codes are added, and never change what they mean. */
export type LintCode = keyof typeof lintLevels;

/** Something about a definition that makes wrong calls likely, or any call impossible: plain JSON. */
export interface LintFinding {
  readonly level: LintLevel;
  readonly code: LintCode;
  /** The tool's name; `null` where there is none, or where it is about all of them. */
  readonly tool: string | null;
  /** Where in what was given, as RFC 6901 writes it. */
  readonly path: string;
  readonly message: string;
  /** What would mend it. */
  readonly fix: string;
}

/** Takes a finding of one tool. */
export type Report = (
  code: LintCode,
  path: string,
  message: string,
  fix: string,
  level?: LintLevel,
) => void;
