// Misuse: every export, called with every wrong type. A wrong argument ends in a `TypeError` or
// `RangeError` that names it and what came; a wrong value of a model's becomes a report.

import { types } from 'node:util';
import vm from 'node:vm';

import { afterEach, describe, expect, it } from 'vitest';

import * as argspan from '../src/index.js';
import type { Outcome } from '../src/index.js';
import { oddValues } from './support/odd.js';
import type { OddValue } from './support/odd.js';

const { ArgumentsError, check, createScanner, parse, parseToolArguments } = argspan;

const noteworthy = Reflect.ownKeys(Object.prototype);

afterEach(() => {
  // Nothing that was passed has reached the prototype of everything.
  expect(Reflect.ownKeys(Object.prototype)).toEqual(noteworthy);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

type Call = (value: unknown) => unknown;

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Holds an error against the form that every error about an argument has. */
function expectMisuse(error: unknown, argument: string, what: string): void {
  expect(error, what).toBeInstanceOf(Error);
  const { message, name } = error as Error;
  expect(name, `${what}: ${message}`).toMatch(/^(?:TypeError|RangeError)$/);
  const named = `${argument} must `;
  const unread = new RegExp(String.raw`^${argument}\.\w+ could not be read$`);
  if (!unread.test(message)) {
    expect(message.slice(0, named.length), `${what}: ${message}`).toBe(named);
    expect(message, what).toMatch(/ \(got .+\)$| a view on (?:shared memory|memory that was .+)$/);
  }
  expect(message, what).not.toMatch(/n-?api|node-api|addon|called wrongly|undefined \(reading/i);
  expect(message.isWellFormed(), what).toBe(true);
  expect(message.length, what).toBeLessThan(300);
}

/** Calls with every odd value; those that are right must pass, the others be refused. */
function tryAll(argument: string, call: Call, isRight: (odd: OddValue) => boolean): void {
  const odds = oddValues();
  expect(odds.length).toBeGreaterThan(80);
  for (const odd of odds) {
    if (isRight(odd)) {
      expect(() => call(odd.value), odd.what).not.toThrow();
    } else {
      const error = thrownBy(() => call(odd.value));
      expectMisuse(error, argument, odd.what);
    }
  }
}

const isUndefined = ({ value }: OddValue): boolean => value === undefined;
const isString = ({ value }: OddValue): boolean => typeof value === 'string';
const isFlag = ({ value }: OddValue): boolean => value === undefined || typeof value === 'boolean';
const isCount = ({ value }: OddValue): boolean =>
  value === undefined ||
  value === Infinity ||
  (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
const isBytes = ({ value, memory }: OddValue): boolean =>
  types.isUint8Array(value) && memory === undefined;
/** Wherever options are optional, an object without any of them is right. */
const isOptions = ({ value, what }: OddValue): boolean =>
  value === undefined ||
  (typeof value === 'object' && value !== null && !/prox.* throws$|^a revoked/.test(what));

describe('what the exports are', () => {
  it('these values, and nothing else', () => {
    expect(Object.keys(argspan).sort()).toEqual([
      'ArgumentsError',
      'check',
      'createScanner',
      'parse',
      'parseToolArguments',
    ]);
  });
});

describe('parseToolArguments', () => {
  it('wants a string as name', () => {
    tryAll('name', (value) => parseToolArguments(value as string, '{}'), isString);
  });

  it('takes any value of a model: never throws, but for memory that may change or is gone', () => {
    for (const { what, value, memory } of oddValues()) {
      const call = (): Outcome => parseToolArguments('tool', value);
      if (memory !== undefined) {
        expectMisuse(thrownBy(call), 'raw', what);
        expect((thrownBy(call) as Error).message, what).toContain(memory);
        continue;
      }
      const outcome = call();
      expect(outcome.status, what).toMatch(/^(?:accepted|reported)$/);
      if (outcome.status === 'reported') {
        expect(outcome.message.isWellFormed(), what).toBe(true);
        expect(outcome.message, what).not.toMatch(/n-?api|of the caller/i);
        expect(outcome.message, what).toMatch(/^The arguments for `tool` were /);
      } else {
        expect(outcome.value, what).toEqual(JSON.parse(outcome.text));
        expect(outcome.value, what).not.toBe(value);
      }
    }
  });

  it('decides on values as the rule does', () => {
    const texts: Record<string, string> = {};
    const reasons: Record<string, string> = {};
    for (const { what, value, memory } of oddValues()) {
      if (memory !== undefined || value === globalThis) {
        continue;
      }
      const outcome = parseToolArguments('tool', value);
      if (outcome.status === 'accepted') {
        texts[what] = outcome.text;
      } else if (typeof value !== 'string' && outcome.kind !== 'invalid-utf8') {
        expect(outcome.kind, what).toBe('unsupported-type');
        reasons[what] = outcome.reason;
      }
    }
    expect(texts).toEqual(acceptedValues);
    expect(reasons).toEqual(
      Object.fromEntries(
        Object.entries(reportedValues).flatMap(([type, values]) =>
          values.map((what) => [what, `got ${type}`]),
        ),
      ),
    );
  });

  it('wants an object as options', () => {
    tryAll('options', (value) => parseToolArguments('tool', '{}', value as object), isOptions);
  });

  it.each([
    ['stop', isUndefined],
    ['echoLimit', isCount],
    ['maxBytes', isCount],
    ['stopHint', isFlag],
  ] as const)('checks options.%s', (option, isRight) => {
    tryAll(
      `options.${option}`,
      (value) => parseToolArguments('tool', '{}', { [option]: value }),
      isRight,
    );
  });

  it('an option that throws when it is read is named, and its own error kept', () => {
    for (const option of ['stop', 'echoLimit', 'maxBytes', 'stopHint']) {
      const own = new Error('of the getter');
      const options = Object.defineProperty({}, option, {
        get() {
          throw own;
        },
      });
      for (const call of [
        () => parseToolArguments('tool', '{}', options),
        () =>
          option === 'stop' ? parseToolArguments('tool', '', options) : createScanner(options),
      ]) {
        const error = thrownBy(call);
        expect(error, option).toBeInstanceOf(TypeError);
        expect((error as Error).message, option).toMatch(/^options/);
        expect((error as Error).cause, option).toBe(own);
      }
    }
  });

  it('needs its arguments', () => {
    const call = parseToolArguments as (...values: unknown[]) => unknown;
    expect(() => call()).toThrow('name must be a string (got undefined)');
    expect(call('tool')).toMatchObject({ status: 'accepted', repair: 'empty' });
    expect(call('tool', '{}', undefined, 'more')).toMatchObject({ status: 'accepted' });
  });
});

/** The values that are accepted, by rules 1 and 2, and their text. */
const acceptedValues: Readonly<Record<string, string>> = {
  undefined: '{}',
  null: '{}',
  'an empty string': '{}',
  'no bytes': '{}',
  bytes: '{"a":1}',
  'a Buffer': '{"a":1}',
  'bytes of a class': '{"a":1}',
  'bytes that follow a resizable buffer': '{"a":1}',
  'bytes of a resizable buffer': '{"a":1}',
  'bytes of another realm': '{}',
  'an empty object': '{}',
  arguments: '{"0":1}',
  'an object without a prototype': '{"a":1}',
  'an object with a __proto__ key': '{"__proto__":{"polluted":1}}',
  'an object with a constructor key': '{"constructor":{"name":7}}',
  'an object that converts to nothing': '{}',
  'an object with a throwing toPrimitive': '{}',
  'an object tagged as a map': '{"a":1}',
  'an object tagged as bytes': '{"length":1}',
  'an object of another realm': '{"a":1}',
  'a proxy': '{"a":1}',
  'a map': '{"a":1}',
  'a map with a __proto__ key': '{"__proto__":{"polluted":1}}',
  'a map of another realm': '{"a":1}',
};

/** The values that are reported, by the type that the report names. */
const reportedValues: Readonly<Record<string, readonly string[]>> = {
  'a boolean': ['true'],
  'a number': [
    'zero',
    'minus zero',
    'minus one',
    'a fraction',
    'NaN',
    'minus infinity',
    'a number beyond 2^53',
  ],
  'a bigint': ['a BigInt'],
  'a symbol': ['a symbol', 'a well-known symbol'],
  'a function': [
    'a function',
    'an async function',
    'a class',
    'a proxy of a function',
    'a proxy of a function that throws',
    'a revoked proxy of a function',
    'a function of another realm',
  ],
  'an array': [
    'an array',
    'a sparse array',
    'an array without a prototype',
    'an array that claims to be plain',
    'a proxy of an array',
    'a proxy of an array that throws',
    'an array of another realm',
  ],
  'an object': [
    'a generator',
    'an object with a throwing getter',
    'an object with a throwing toJSON',
    'an object that says it is a string',
    'an object that says it is nothing',
    'an object with a BigInt',
    'a cyclic object',
    'a deep object',
    'an instance of a class without a name',
    'an object whose class throws',
    'a proxy that throws',
    'a revoked proxy',
    'a revoked proxy of an array',
    'an object that holds a revoked proxy',
  ],
  'an object of class String': ['a string object', 'a string object of another realm'],
  'an object of class Number': ['a number object'],
  'an object of class BigInt': ['a BigInt object'],
  'an object of class Symbol': ['a symbol object'],
  'an object of class Thing': ['a class instance'],
  'an object of class Foreign': ['an instance of another realm'],
  'an object of class Date': ['a date', 'a date that is none'],
  'an object of class RegExp': ['a regular expression'],
  'an object of class Error': ['an error'],
  'an object of class Map': [
    'a map with a number as key',
    'a map with a symbol as key',
    'a map of maps with odd keys',
    'a proxy of a map',
  ],
  'an object of class Set': ['a set'],
  'an object of class WeakMap': ['a weak map'],
  'an object of class Promise': ['a promise'],
  'an object of class ArrayBuffer': ['an ArrayBuffer'],
  'an object of class SharedArrayBuffer': ['a shared ArrayBuffer'],
  'an object of class DataView': ['a DataView'],
  'an object of class Uint8ClampedArray': ['bytes that are clamped'],
  'an object of class Int8Array': ['signed bytes'],
  'an object of class Uint16Array': ['UTF-16 units'],
  'an object of class Float64Array': ['floats'],
  'an object of class BigInt64Array': ['an array of BigInts'],
  'an object of class Uint8Array': ['a proxy of bytes'],
};

describe('check', () => {
  it('wants a string or bytes', () => {
    tryAll(
      'text',
      (value) => check(value as string),
      (odd) => isString(odd) || isBytes(odd),
    );
  });
});

describe('parse', () => {
  it('gives a value, or throws an ArgumentsError, or a TypeError that names the argument', () => {
    for (const { what, value, memory } of oddValues()) {
      const outcome = memory === undefined ? parseToolArguments('tool', value) : null;
      const error = thrownBy(() => {
        expect(parse(value), what).toEqual((outcome as { value?: unknown }).value);
      });
      if (value === undefined || memory !== undefined) {
        expectMisuse(error, 'text', what);
        expect(error, what).toBeInstanceOf(TypeError);
      } else if (outcome?.status === 'reported') {
        expect(error, what).toBeInstanceOf(ArgumentsError);
        expect(error, what).toBeInstanceOf(SyntaxError);
        const { kind, reason, echo } = outcome;
        expect(error, what).toMatchObject({ kind, reason, echo });
      } else {
        expect(error, what).toBeUndefined();
      }
    }
  });

  it('takes as reviver what JSON.parse takes, which ignores everything that is no function', () => {
    const text = '{"a":[1,{"b":2}]}';
    for (const { what, value } of oddValues()) {
      type Reviver = NonNullable<Parameters<typeof parse>[1]>;
      const expected = thrownBy(() => JSON.parse(text, value as Reviver));
      const error = thrownBy(() => {
        expect(parse(text, value as Reviver), what).toEqual(JSON.parse(text, value as Reviver));
      });
      expect(String(error), what).toBe(String(expected));
    }
    expect(['{"a":1}', '{"b":2}'].map(parse as (text: string) => unknown)).toEqual([
      { a: 1 },
      { b: 2 },
    ]);
  });
});

describe('createScanner', () => {
  it('wants an object as options', () => {
    tryAll('options', (value) => createScanner(value as object), isOptions);
  });

  it.each([
    ['echoLimit', isCount],
    ['maxBytes', isCount],
    ['stopHint', isFlag],
    ['keepText', isFlag],
  ] as const)('checks options.%s', (option, isRight) => {
    tryAll(`options.${option}`, (value) => createScanner({ [option]: value }), isRight);
  });
});

describe('a scanner', () => {
  it('wants fragments that are strings or bytes, and goes on after any other', () => {
    const scanner = createScanner();
    scanner.feed('{"a":');
    tryAll(
      'fragment',
      (value) => {
        // What is right is fed to another one.
        const wrong = typeof value !== 'string' && !ArrayBuffer.isView(value);
        (wrong ? scanner : createScanner()).feed(value as string);
      },
      (odd) => isString(odd) || isBytes(odd),
    );
    for (const { value, memory } of oddValues()) {
      if (memory !== undefined) {
        expect(() => scanner.feed(value as Uint8Array)).toThrow(TypeError);
      }
    }
    scanner.feed('1}');
    expect(scanner.finish('tool')).toMatchObject({ status: 'accepted', value: { a: 1 } });
  });

  it('wants a string as name', () => {
    const scanner = createScanner();
    tryAll('name', (value) => scanner.finish(value as string), isString);
    tryAll('name', (value) => scanner.report(value as string), isString);
  });

  it('wants a stop signal that there is', () => {
    const scanner = createScanner();
    for (const call of [
      (stop: unknown) => scanner.finish('tool', stop as 'length'),
      (stop: unknown) => scanner.report('tool', stop as 'length'),
      (stop: unknown) => scanner.finishCheck(stop as 'length'),
    ]) {
      tryAll('stop', call, isUndefined);
      expect(() => call('Finished')).toThrow(
        new RangeError("stop must be 'finished', 'length' or 'interrupted' (got 'Finished')"),
      );
    }
  });

  it('refuses to be somebody else: every member throws a TypeError', () => {
    const scanner = createScanner();
    const prototype = Object.getPrototypeOf(scanner) as object;
    for (const key of Reflect.ownKeys(prototype)) {
      if (key === 'constructor') {
        continue;
      }
      const descriptor = Object.getOwnPropertyDescriptor(prototype, key)!;
      const member: unknown = Reflect.get(descriptor, 'get') ?? descriptor.value;
      for (const { what, value: receiver } of oddValues()) {
        const error = thrownBy(() => Reflect.apply(member as typeof thrownBy, receiver, ['x']));
        expect(error, `${String(key)} on ${what}`).toBeInstanceOf(TypeError);
        expect((error as Error).message, `${String(key)} on ${what}`).not.toMatch(/n-?api|addon/i);
      }
    }
    // What was refused has not gone to anybody.
    scanner.feed(' ');
    expect(scanner.finish('tool')).toMatchObject({ repair: 'empty' });
  });

  it('does not feed the next scanner with what it was called on nothing with', () => {
    const first = createScanner();
    void first.verdict;
    const feed: unknown = Reflect.get(first, 'feed');
    for (const receiver of [null, undefined]) {
      thrownBy(() => Reflect.apply(feed as typeof thrownBy, receiver, ['{"intruder":1}']));
      const next = createScanner();
      next.feed(' ');
      expect(next.finish('tool')).toMatchObject({ value: {}, repair: 'empty' });
    }
  });

  it('cannot be made by its constructor without options', () => {
    const { constructor } = createScanner() as unknown as { constructor: new () => unknown };
    const error = thrownBy(() => new constructor());
    if (error !== undefined) {
      expect(error).toBeInstanceOf(TypeError);
    }
  });
});

describe('ArgumentsError', () => {
  it('wants a report', () => {
    tryAll(
      'outcome',
      (value) => new ArgumentsError(value as never),
      () => false,
    );
  });
});

describe('bytes that lie about themselves are read as they are', () => {
  const text = '{"a":"é"}';
  const lies: Readonly<Record<string, PropertyDescriptor>> = {
    length: { value: 0 },
    byteLength: { value: 3 },
    byteOffset: { value: 5 },
    buffer: { value: new ArrayBuffer(2) },
    subarray: { value: () => 'nothing' },
    slice: { value: () => 'nothing' },
    toString: { value: () => 'nothing' },
    constructor: { value: null },
    [Symbol.toStringTag as never]: { value: 'String' },
    [Symbol.iterator as never]: { value: null },
  };

  for (const key of Reflect.ownKeys(lies)) {
    for (const way of ['value', 'getter'] as const) {
      it(`${String(key)}, as a ${way === 'value' ? 'wrong value' : 'getter that throws'}`, () => {
        const liar = (source = text): Uint8Array => {
          const bytes = Uint8Array.from(Buffer.from(source));
          const thrower: PropertyDescriptor = {
            get() {
              throw new Error('of the caller');
            },
          };
          const lie = way === 'value' ? lies[key as string]! : thrower;
          return Object.defineProperty(bytes, key, lie);
        };
        for (const source of [
          text,
          `see ${text} here`,
          text.slice(0, 5),
          `${text}${'x'.repeat(600)}`,
        ]) {
          const honest = Uint8Array.from(Buffer.from(source));
          expect(check(liar(source))).toEqual(check(honest));
          expect(parseToolArguments('tool', liar(source))).toEqual(
            parseToolArguments('tool', honest),
          );
          const scanner = createScanner();
          scanner.feed(liar(source));
          expect(scanner.finish('tool')).toEqual(parseToolArguments('tool', honest));
        }
        expect(parse(liar())).toEqual({ a: 'é' });
      });
    }
  }
});

describe('code of the caller that runs in the middle of a call', () => {
  /** Does everything that leaves a trace, if there is any place to leave one. */
  function disturb(): void {
    check('see {"a":x');
    parseToolArguments('other', Buffer.from('"{\\"b\\":1}"'), { stop: 'length' });
    const scanner = createScanner();
    scanner.feed('{"disturbed":');
    scanner.feed(Buffer.of(0xff));
    void scanner.error;
    thrownBy(() => parse('['));
  }

  it('changes nothing when it is a toJSON, a getter or a proxy', () => {
    const expected = parseToolArguments('tool', { a: [1] });
    const raws = [
      {
        toJSON: () => {
          disturb();
          return { a: [1] };
        },
      },
      {
        get a() {
          disturb();
          return [1];
        },
      },
      new Proxy(
        { a: [1] },
        {
          get(target, key) {
            disturb();
            return Reflect.get(target, key) as unknown;
          },
        },
      ),
    ];
    for (const raw of raws) {
      expect(parseToolArguments('tool', raw)).toEqual(expected);
      expect(parse(raw)).toEqual({ a: [1] });
    }
  });

  it('changes nothing when it is an option', () => {
    const options = {
      get echoLimit() {
        disturb();
        return 3;
      },
    };
    expect(parseToolArguments('tool', '{"a":', options)).toEqual(
      parseToolArguments('tool', '{"a":', { echoLimit: 3 }),
    );
    const scanner = createScanner(options);
    scanner.feed('{"a":');
    expect(scanner.report('tool')).toEqual(parseToolArguments('tool', '{"a":', { echoLimit: 3 }));
  });

  it('changes nothing when it is a reviver', () => {
    const reviver = (_key: string, value: unknown): unknown => {
      disturb();
      return value;
    };
    for (const text of ['{"a":[1]}', 'see {"a":[1]}', Buffer.from('{"a":[1]}'), { a: [1] }]) {
      expect(parse(text, reviver)).toEqual({ a: [1] });
    }
  });

  it('changes nothing in a scanner that it interrupts', () => {
    const scanner = createScanner();
    scanner.feed('{"a":"');
    void scanner.verdict;
    scanner.feed('b');
    disturb();
    scanner.feed('c');
    void scanner.verdict;
    disturb();
    scanner.feed('"}');
    expect(scanner.finish('tool')).toMatchObject({ text: '{"a":"bc"}' });
  });
});

describe('values of another realm', () => {
  const realm = (code: string): unknown => vm.runInNewContext(code) as unknown;

  it.each([
    ['an object', '({ a: [1] })', '{"a":[1]}'],
    ['an object without a prototype', 'Object.assign(Object.create(null), { a: 1 })', '{"a":1}'],
    ['a map', 'new Map([["a", new Map([["b", 1]])]])', '{"a":{"b":1}}'],
    ['bytes', 'Uint8Array.of(0x7b, 0x7d)', '{}'],
  ])('%s is what it is here', (_, code, text) => {
    expect(parseToolArguments('tool', realm(code))).toMatchObject({ status: 'accepted', text });
    expect(parse(realm(code))).toEqual(JSON.parse(text));
  });

  it.each([
    ['an array', '[{}]', 'an array'],
    ['a class instance', 'new (class Foreign {})()', 'an object of class Foreign'],
    ['a date', 'new Date()', 'an object of class Date'],
    ['a set', 'new Set()', 'an object of class Set'],
    ['a string object', 'new String("{}")', 'an object of class String'],
    ['UTF-16 units', 'new Uint16Array(2)', 'an object of class Uint16Array'],
    ['a buffer of bytes', 'new ArrayBuffer(2)', 'an object of class ArrayBuffer'],
    ['a function', '() => ({})', 'a function'],
    ['a symbol', 'Symbol.iterator', 'a symbol'],
  ])('%s is reported', (_, code, type) => {
    expect(parseToolArguments('tool', realm(code))).toMatchObject({
      kind: 'unsupported-type',
      reason: `got ${type}`,
      message:
        `The arguments for \`tool\` were not text or an object (got ${type}).\n` +
        'Call `tool` again with a single JSON object that matches its parameters.',
    });
  });

  it('shared memory is refused there as here', () => {
    const shared = realm('new Uint8Array(new SharedArrayBuffer(2))') as Uint8Array;
    expect(() => check(shared)).toThrow('text must not be a view on shared memory');
  });
});
