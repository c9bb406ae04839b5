// Values that nobody should pass, each with what it is. Made anew each time: some are used up.

import vm from 'node:vm';

export interface OddValue {
  readonly what: string;
  readonly value: unknown;
  /** Memory that must be refused wherever bytes may stand. */
  readonly memory?: 'shared' | 'detached';
}

class Thing {
  readonly a = 1;
}

function raise(): never {
  throw new Error('a trap of the caller');
}

/** A proxy of which every look throws. */
function hostile(target: object): object {
  const traps: ProxyHandler<object> = {};
  for (const trap of Reflect.ownKeys(Reflect) as (keyof ProxyHandler<object>)[]) {
    traps[trap] = raise;
  }
  return new Proxy(target, traps);
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** An object with a getter that throws. */
function withGetter(name: string): object {
  return Object.defineProperty({}, name, { get: raise, enumerable: true });
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text));
}

function detached(): Uint8Array {
  const bytes = bytesOf('{"a":1}');
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

/** As TypeScript's library does not know it yet. */
interface Resizable extends ArrayBuffer {
  resize(length: number): void;
}
const ResizableBuffer = ArrayBuffer as unknown as new (
  length: number,
  options: { maxByteLength: number },
) => Resizable;

function resizable(length?: number): Uint8Array {
  const buffer = new ResizableBuffer(7, { maxByteLength: 64 });
  const bytes = new Uint8Array(buffer, 0, length);
  bytes.set(bytesOf('{"a":1}'));
  return bytes;
}

function uncovered(): Uint8Array {
  const bytes = resizable(7);
  (bytes.buffer as Resizable).resize(3);
  return bytes;
}

function shared(): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(7));
  bytes.set(bytesOf('{"a":1}'));
  return bytes;
}

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) {
    value = { a: value };
  }
  return value;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

function argumentsOf(...values: unknown[]): IArguments {
  void values;
  return arguments;
}

function sparse(): unknown[] {
  const array: unknown[] = [];
  array[3] = 1;
  return array;
}

/** Another realm's values. */
function foreign(code: string): unknown {
  return vm.runInNewContext(code) as unknown;
}

export function oddValues(): readonly OddValue[] {
  return [
    { what: 'undefined', value: undefined },
    { what: 'null', value: null },
    { what: 'true', value: true },
    { what: 'zero', value: 0 },
    { what: 'minus zero', value: -0 },
    { what: 'minus one', value: -1 },
    { what: 'a fraction', value: 1.5 },
    { what: 'NaN', value: Number.NaN },
    { what: 'minus infinity', value: -Infinity },
    { what: 'a number beyond 2^53', value: 2 ** 60 },
    { what: 'a BigInt', value: 10n ** 30n },
    { what: 'a symbol', value: Symbol('of the caller') },
    { what: 'a well-known symbol', value: Symbol.iterator },
    { what: 'an empty string', value: '' },
    { what: 'a string', value: 'text' },
    { what: 'half a surrogate pair', value: '\u{d83d}' },
    { what: 'a huge string', value: 'x'.repeat(1 << 20) },
    { what: 'a string object', value: Object('{"a":1}') },
    { what: 'a number object', value: Object(1) },
    { what: 'a BigInt object', value: Object(1n) },
    { what: 'a symbol object', value: Object(Symbol('of the caller')) },
    { what: 'a function', value: raise },
    { what: 'an async function', value: async () => Promise.resolve() },
    { what: 'a class', value: Thing },
    { what: 'a generator', value: (function* generator() {})() },
    { what: 'an array', value: ['{"a":1}'] },
    { what: 'a sparse array', value: sparse() },
    { what: 'an array without a prototype', value: Object.setPrototypeOf([1], null) },
    {
      what: 'an array that claims to be plain',
      value: Object.setPrototypeOf([1], Object.prototype),
    },
    { what: 'arguments', value: argumentsOf(1) },
    { what: 'an empty object', value: {} },
    { what: 'an object without a prototype', value: Object.assign(Object.create(null), { a: 1 }) },
    { what: 'an object with a __proto__ key', value: JSON.parse('{"__proto__":{"polluted":1}}') },
    { what: 'an object with a constructor key', value: { constructor: { name: 7 } } },
    { what: 'an object with a throwing getter', value: withGetter('a') },
    { what: 'an object that converts to nothing', value: { toString: raise, valueOf: raise } },
    { what: 'an object with a throwing toPrimitive', value: { [Symbol.toPrimitive]: raise } },
    { what: 'an object with a throwing toJSON', value: { toJSON: raise } },
    { what: 'an object that says it is a string', value: { toJSON: () => '{"a":1}' } },
    { what: 'an object that says it is nothing', value: { toJSON: () => undefined } },
    { what: 'an object with a BigInt', value: { a: 1n } },
    { what: 'a cyclic object', value: cyclic() },
    { what: 'a deep object', value: nested(20_000) },
    { what: 'a class instance', value: new Thing() },
    {
      what: 'an instance of a class without a name',
      value: new (class {
        a = 1;
      })(),
    },
    { what: 'an object whose class throws', value: Object.create(withGetter('constructor')) },
    { what: 'an object tagged as a map', value: { [Symbol.toStringTag]: 'Map', a: 1 } },
    { what: 'an object tagged as bytes', value: { [Symbol.toStringTag]: 'Uint8Array', length: 1 } },
    { what: 'a date', value: new Date(0) },
    { what: 'a date that is none', value: new Date(Number.NaN) },
    { what: 'a regular expression', value: /x/ },
    { what: 'an error', value: new Error('of the caller') },
    { what: 'a map', value: new Map([['a', 1]]) },
    { what: 'a map with a __proto__ key', value: new Map([['__proto__', { polluted: 1 }]]) },
    { what: 'a map with a number as key', value: new Map([[1, 1]]) },
    { what: 'a map with a symbol as key', value: new Map([[Symbol('key'), 1]]) },
    { what: 'a map of maps with odd keys', value: new Map([['a', new Map([[{}, 1]])]]) },
    { what: 'a set', value: new Set(['a']) },
    { what: 'a weak map', value: new WeakMap() },
    { what: 'a promise', value: Promise.resolve('{"a":1}') },
    { what: 'an ArrayBuffer', value: new ArrayBuffer(8) },
    { what: 'a shared ArrayBuffer', value: new SharedArrayBuffer(8) },
    { what: 'a DataView', value: new DataView(new ArrayBuffer(8)) },
    { what: 'bytes', value: bytesOf('{"a":1}') },
    { what: 'no bytes', value: new Uint8Array(0) },
    { what: 'a Buffer', value: Buffer.from('{"a":1}') },
    { what: 'bytes that are not UTF-8', value: Uint8Array.of(0x7b, 0xff, 0x7d) },
    { what: 'bytes that are clamped', value: new Uint8ClampedArray(8) },
    { what: 'signed bytes', value: new Int8Array(8) },
    { what: 'UTF-16 units', value: new Uint16Array(8) },
    { what: 'floats', value: new Float64Array(8) },
    { what: 'an array of BigInts', value: new BigInt64Array(8) },
    { what: 'bytes of a class', value: new (class extends Uint8Array {})(bytesOf('{"a":1}')) },
    { what: 'bytes that follow a resizable buffer', value: resizable() },
    { what: 'bytes of a resizable buffer', value: resizable(7) },
    { what: 'bytes that their buffer no longer has', value: uncovered(), memory: 'detached' },
    { what: 'bytes that are detached', value: detached(), memory: 'detached' },
    { what: 'bytes that are shared', value: shared(), memory: 'shared' },
    { what: 'a proxy', value: new Proxy({ a: 1 }, {}) },
    { what: 'a proxy of an array', value: new Proxy([1], {}) },
    { what: 'a proxy of bytes', value: new Proxy(bytesOf('{"a":1}'), {}) },
    { what: 'a proxy of a map', value: new Proxy(new Map([['a', 1]]), {}) },
    { what: 'a proxy of a function', value: new Proxy(raise, {}) },
    { what: 'a proxy that throws', value: hostile({ a: 1 }) },
    { what: 'a proxy of an array that throws', value: hostile([]) },
    { what: 'a proxy of a function that throws', value: hostile(raise) },
    { what: 'a revoked proxy', value: revoked({}) },
    { what: 'a revoked proxy of an array', value: revoked([]) },
    { what: 'a revoked proxy of a function', value: revoked(raise) },
    { what: 'an object that holds a revoked proxy', value: { a: revoked({}) } },
    { what: 'the global object', value: globalThis },
    { what: 'an object of another realm', value: foreign('({ a: 1 })') },
    { what: 'an array of another realm', value: foreign('[1]') },
    { what: 'a map of another realm', value: foreign('new Map([["a", 1]])') },
    { what: 'a string object of another realm', value: foreign('new String("{}")') },
    { what: 'bytes of another realm', value: foreign('Uint8Array.of(0x7b, 0x7d)') },
    { what: 'an instance of another realm', value: foreign('new (class Foreign {})()') },
    { what: 'a function of another realm', value: foreign('() => 1') },
  ];
}
