// `ArgumentsError`: what `parse` throws.

import { inspect } from 'node:util';
import vm from 'node:vm';

import { describe, expect, it } from 'vitest';

import { ArgumentsError, parse, parseToolArguments } from '../src/index.js';
import type { Reported } from '../src/index.js';

function thrown(text: unknown): ArgumentsError {
  try {
    parse(text);
  } catch (error) {
    return error as ArgumentsError;
  }
  throw new Error('nothing was thrown');
}

const error = thrown('{"a":');

describe('an ArgumentsError', () => {
  it('is a SyntaxError, as that of JSON.parse is', () => {
    expect(error).toBeInstanceOf(ArgumentsError);
    expect(error).toBeInstanceOf(SyntaxError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('ArgumentsError');
    expect(Object.prototype.toString.call(error)).toBe('[object Error]');
    expect(String(error)).toBe(`ArgumentsError: ${error.message}`);
  });

  it('says what the report says', () => {
    const outcome = parseToolArguments('', '{"a":') as Reported;
    const { kind, reason, error: scanError, echo } = outcome;
    expect(error).toMatchObject({ kind, reason, error: scanError, echo });
    expect(error.outcome).toMatchObject({ status: 'reported', kind, reason, echo });
    expect(error.outcome.message).toBe(error.message);
    expect(error.outcome.replay).toBe('{"INVALID_JSON":"{\\"a\\":"}');
    expect(error.message).toBe(
      'The arguments were not valid JSON (EOF while parsing a value at line 1 column 5). Received: {"a":',
    );
  });

  it('shows where it was thrown, and its outcome only to who asks', () => {
    expect(error.stack).toMatch(/^ArgumentsError: The arguments were not valid JSON/);
    expect(error.stack).toContain('error.spec.ts');
    expect(Object.keys(error)).toEqual(['kind', 'reason', 'error', 'echo']);
    expect(inspect(error)).not.toContain('INVALID_JSON');
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      kind: 'truncated',
      reason: 'EOF while parsing a value at line 1 column 5',
      error: { ...error.error },
      echo: '{"a":',
    });
  });

  it('can be made of a report', () => {
    const outcome = parseToolArguments('read', '[]') as Reported;
    const made = new ArgumentsError(outcome);
    expect(made.message).toBe(outcome.message);
    expect(made.outcome).toBe(outcome);
    expect(made).toBeInstanceOf(ArgumentsError);
  });
});

describe('instanceof', () => {
  it('knows errors of another copy of the package by their brand', () => {
    class OtherCopy extends SyntaxError {
      readonly kind = 'malformed';
    }
    Object.defineProperty(OtherCopy.prototype, Symbol.for('argspan.ArgumentsError'), {
      value: true,
    });
    expect(new OtherCopy()).toBeInstanceOf(ArgumentsError);
  });

  it('knows nothing else', () => {
    const others = [
      new SyntaxError('x'),
      new Error('x'),
      { kind: 'malformed', name: 'ArgumentsError' },
      vm.runInNewContext('new SyntaxError("x")'),
      null,
      undefined,
      'ArgumentsError',
      () => error,
    ] as unknown[];
    for (const other of others) {
      expect(other instanceof ArgumentsError).toBe(false);
    }
  });

  it('a subclass knows only its own', () => {
    class Narrower extends ArgumentsError {}
    const outcome = parseToolArguments('read', '[]') as Reported;
    expect(error instanceof Narrower).toBe(false);
    expect(new Narrower(outcome) instanceof Narrower).toBe(true);
    expect(new Narrower(outcome) instanceof ArgumentsError).toBe(true);
  });
});
