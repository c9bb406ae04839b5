// Properties over generated texts. `FC_RUNS=10000` tries harder than the build does.

import { isUtf8 } from 'node:buffer';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ArgumentsError, check, createScanner, parse, parseToolArguments } from '../src/index.js';
import type { Outcome, StopSignal } from '../src/index.js';
import { closers, continuationOf, mayLag } from './support/continuation.js';
import { byteAt, cut, feedAll, inBytes, tell, told, units } from './support/drive.js';
import type { Fragment } from './support/drive.js';
import {
  anyBytes,
  anyPlaces,
  anyText,
  objectText,
  placesIn,
  runs,
  wrapped,
} from './support/generate.js';
import { judge, messageFor, quote, trim } from './support/rule.js';

const stop = fc.constantFrom<StopSignal>('finished', 'length', 'interrupted');

function holds<T extends [unknown, ...unknown[]]>(
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  predicate: (...values: T) => void,
  numRuns = runs,
): void {
  fc.assert(fc.property(...arbitraries, predicate), { numRuns });
}

function valueOf(outcome: Outcome): unknown {
  return outcome.status === 'accepted' ? outcome.value : null;
}

describe('guarantee 1, split invariance, of generated texts', () => {
  it('strings, however they are cut and looked at', () => {
    holds([anyText, anyPlaces, stop], (text, places, signal) => {
      const whole = told([text], { stop: signal });
      const pieces = cut(text, placesIn(text, places));
      expect(told(pieces, { stop: signal })).toEqual(whole);
      expect(told(pieces, { stop: signal, look: true })).toEqual(whole);
      expect(told(units(text), { stop: signal, look: true })).toEqual(whole);
    });
  });

  it('bytes, however they are cut, UTF-8 or not', () => {
    holds([anyBytes, anyPlaces, stop], (bytes, places, signal) => {
      const whole = told([bytes], { stop: signal });
      expect(told(cut(bytes, placesIn(bytes, places)), { stop: signal })).toEqual(whole);
      expect(told(units(bytes), { stop: signal, look: true })).toEqual(whole);
    });
  });

  it('bytes as their string, with positions in bytes', () => {
    holds([anyText, anyPlaces], (text, places) => {
      const bytes = Buffer.from(text);
      const expected = inBytes(told([text]), text);
      expect(told(cut(bytes, placesIn(bytes, places)), { look: true })).toEqual(expected);
    });
  });

  it('strings and bytes mixed, with positions as the first fragment counts them', () => {
    holds([anyText, fc.array(fc.boolean(), { minLength: 1 }), stop], (raw, kinds, signal) => {
      fc.pre(raw !== '');
      // Unit by unit; halves of pairs only fit into strings, and are lost beside bytes.
      const fragments = units(raw).map((unit, index): Fragment =>
        kinds[index % kinds.length] === true && unit.isWellFormed() ? Buffer.from(unit) : unit,
      );
      let text = '';
      for (const fragment of fragments) {
        text =
          typeof fragment === 'string'
            ? text + fragment
            : `${text.toWellFormed()}${String(fragment)}`;
      }
      const whole = told([text], { stop: signal });
      const expected = typeof fragments[0] === 'string' ? whole : inBytes(whole, text);
      expect(told(fragments, { stop: signal })).toEqual(expected);
      for (const echoLimit of [1, 500]) {
        const light = feedAll(fragments, { keepText: false, echoLimit }, true);
        const kept = feedAll(fragments, { echoLimit });
        expect(light.finishCheck(signal)).toEqual(expected.check);
        const report = kept.report('tool', signal);
        expect(light.report('tool', signal)).toEqual(
          report && { ...report, replay: JSON.stringify({ INVALID_JSON: report.echo }) },
        );
      }
    });
  });

  it('long strings of every width, before, in and behind whatever comes', () => {
    const filler = fc
      .tuple(
        fc.constantFrom('plain ', 'é', 'naïve ÿ', '日本', '🚀', '\\"', '\u{a0}'),
        fc.nat({ max: 700 }),
      )
      .map(([piece, count]) => piece.repeat(count));
    const frame = fc.constantFrom('{"pad":"', '"{\\"pad\\":\\"', '', ' ', '{"');
    holds(
      [frame, filler, anyText, filler, anyPlaces],
      (before, first, middle, second, places) => {
        const text = before + first + middle + second;
        const whole = told([text]);
        expect(parseToolArguments('tool', text)).toEqual(whole.outcome);
        expect(check(text)).toEqual(whole.check);
        expect(told(cut(text, placesIn(text, places)), { look: true })).toEqual(whole);
        const bytes = Buffer.from(text);
        const expected = inBytes(whole, text);
        expect(told(cut(bytes, placesIn(bytes, places)))).toEqual(expected);
        expect(parseToolArguments('tool', bytes)).toEqual(expected.outcome);
      },
      Math.ceil(runs / 2),
    );
  });

  it('half pairs and cut sequences that meet the other kind of fragment are lost, and only they', () => {
    holds([anyText, anyText], (before, behind) => {
      fc.pre(behind !== '');
      const half = feedAll([`${before}\u{d83d}`, Buffer.from(behind)]);
      const whole = told([`${before.toWellFormed()}\u{fffd}${behind.toWellFormed()}`]);
      expect(tell(half)).toEqual(whole);
      const bytes = told([Buffer.from([...Buffer.from(before), 0xf0, 0x9f]), behind]);
      expect(bytes.check).toMatchObject({ kind: 'invalid-utf8', verdict: 'malformed' });
      expect(bytes.outcome).toMatchObject({
        error: { offset: Buffer.byteLength(before) },
        echo: quote(`${before.toWellFormed()}\u{fffd}${behind}`, 500).replace(/…$/, ''),
      });
    });
  });

  it('the verdict at every byte is that of the text so far', () => {
    holds([anyText], (text) => {
      const scanner = createScanner({ keepText: false, echoLimit: 0 });
      for (let end = 1; end <= text.length; end++) {
        scanner.feed(text.slice(end - 1, end));
        const so = check(text.slice(0, end));
        expect(scanner.verdict).toBe(so.verdict);
        expect(scanner.finishCheck()).toEqual(so);
      }
    });
  });

  it('whatever is looked at after each fragment is that of the text so far, also near a limit', () => {
    const looks = fc.array(fc.constantFrom('verdict', 'depth', 'inString', 'span', 'error', null), {
      minLength: 1,
    });
    const options = fc.record({ maxBytes: fc.nat({ max: 60 }), keepText: fc.boolean() });
    holds([anyText, fc.nat({ max: 5 }), looks, options], (text, length, order, limits) => {
      const scanner = createScanner(limits);
      for (let end = 0, turn = 0; end < text.length; turn++) {
        const next = Math.min(text.length, end + 1 + (length === 0 ? 0 : (turn * 7) % length));
        scanner.feed(text.slice(end, next));
        end = next;
        const look = order[turn % order.length]!;
        if (look !== null) {
          expect(scanner[look]).toEqual(feedAll([text.slice(0, end)], limits)[look]);
        }
      }
      expect(scanner.finishCheck()).toEqual(feedAll([text], limits).finishCheck());
      expect(scanner.report('tool', 'length')).toEqual(
        feedAll([text], limits).report('tool', 'length'),
      );
    });
  });

  it('inside a string that is looked at after each fragment, whatever its escapes are', () => {
    const unit = fc.constantFrom(
      ...Array.from(String.raw`\\\\\""nrtbf/u00dD8x{}`),
      '\n',
      'é',
      '\u{1f680}',
    );
    const content = fc.string({ unit, maxLength: 60 });
    const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 });
    const before = fc.constantFrom('{"a":"', '{"', 'so: {"a":["', '"{"', '"');
    holds([before, content, lengths], (head, rest, sizes) => {
      const scanner = createScanner();
      scanner.feed(head);
      expect(scanner.verdict).toBe(check(head).verdict);
      let fed = head;
      for (let index = 0, at = 0; at < rest.length; index++) {
        const size = sizes[index % sizes.length] ?? 1;
        const piece = rest.slice(at, at + size);
        at += size;
        fed += piece;
        scanner.feed(piece);
        const fresh = createScanner();
        fresh.feed(fed);
        const looked = [scanner.verdict, scanner.depth, scanner.inString];
        expect(looked).toEqual([fresh.verdict, fresh.depth, fresh.inString]);
      }
      expect(scanner.finishCheck()).toEqual(check(fed));
    });
  });

  it('looking, finishing and reporting on the way disturb nothing', () => {
    holds([anyText, anyPlaces, stop], (text, places, signal) => {
      const scanner = createScanner();
      let fed = '';
      for (const piece of cut(text, placesIn(text, places))) {
        scanner.feed(piece);
        fed += piece;
        expect(scanner.finish('tool', signal)).toEqual(
          parseToolArguments('tool', fed, { stop: signal }),
        );
        expect(scanner.bytes).toBe(Buffer.byteLength(fed.replace(/[\ud800-\udbff]$/, '')));
      }
      expect(tell(scanner)).toEqual(told([text]));
    });
  });

  it('scanners that take turns know nothing of each other', () => {
    holds(
      [fc.array(anyText, { minLength: 2, maxLength: 4 }), fc.nat()],
      (texts, seed) => {
        const scanners = texts.map(() => createScanner());
        const queues = texts.map((text) => units(text));
        for (let turn = seed; queues.some((queue) => queue.length > 0); turn++) {
          const index = (turn * 7 + (turn >> 2)) % texts.length;
          const piece = queues[index]!.shift();
          if (piece !== undefined) {
            scanners[index]!.feed(piece);
          }
          if (turn % 3 === 0) {
            void scanners[turn % texts.length]!.verdict;
          }
        }
        expect(scanners.map((scanner) => tell(scanner))).toEqual(texts.map((text) => told([text])));
      },
      Math.ceil(runs / 2),
    );
  });

  it('a scanner that starts over is as good as new', () => {
    holds([fc.oneof(anyText, anyBytes), anyText, fc.boolean()], (first, second, look) => {
      const scanner = createScanner();
      scanner.feed(first);
      if (look) {
        void scanner.verdict;
      }
      scanner.reset();
      expect(tell(scanner)).toEqual(told([]));
      scanner.feed(second);
      expect(tell(scanner)).toEqual(told([second]));
    });
  });
});

describe('guarantee 2, agreement, on generated texts', () => {
  it('scanner, parseToolArguments and check', () => {
    holds([fc.oneof(anyText, anyBytes), stop], (text, signal) => {
      const { outcome } = told([text], { stop: signal });
      expect(parseToolArguments('tool', text, { stop: signal })).toEqual(outcome);
      expect(check(text)).toEqual(told([text]).check);
    });
  });

  it('with the text kept or not', () => {
    holds(
      [fc.oneof(anyText, anyBytes), stop, fc.constantFrom(0, 1, 5, 500, Infinity)],
      (text, signal, echoLimit) => {
        const kept = feedAll([text], { echoLimit });
        const light = feedAll(units<Fragment>(text), { keepText: false, echoLimit }, true);
        expect(light.finishCheck(signal)).toEqual(kept.finishCheck(signal));
        const report = light.report('tool', signal);
        const expected = kept.report('tool', signal);
        expect(report && { ...report, replay: '' }).toEqual(
          expected && { ...expected, replay: '' },
        );
        expect(report?.replay).toBe(
          report === null ? undefined : JSON.stringify({ INVALID_JSON: report.echo }),
        );
        const outcome = kept.finish('tool', signal);
        expect(expected).toEqual(outcome.status === 'reported' ? outcome : null);
      },
    );
  });

  it('accepts exactly what the rule in other words accepts', () => {
    holds([anyText], (text) => {
      const outcome = parseToolArguments('tool', text);
      const expected = judge(text);
      expect(outcome.status).toBe(expected === null ? 'reported' : 'accepted');
      if (outcome.status === 'accepted') {
        const { repair, text: object, value } = outcome;
        expect({ repair, text: object, value }).toEqual(expected);
      }
    });
  });

  it('finds the object that was wrapped', () => {
    holds([wrapped], ({ object, text }) => {
      const outcome = parseToolArguments('tool', text);
      expect(outcome).toMatchObject({ status: 'accepted', text: object });
      expect(valueOf(outcome)).toEqual(JSON.parse(object));
      const { repair, span } = outcome as Outcome & { status: 'accepted' };
      const held = text.slice(span.start, span.end);
      expect(repair === 'double-encoding' ? trim(JSON.parse(held) as string) : held).toBe(object);
    });
  });

  it('parse is JSON.parse for objects, and the rule for everything else', () => {
    holds([anyText], (text) => {
      const outcome = parseToolArguments('tool', text);
      const plain = objectIn(text);
      if (plain !== null) {
        // Also with half a pair in it, which bytes cannot have.
        expect(parse(text)).toEqual(plain);
        expect(parse(Buffer.from(text))).toEqual(objectIn(text.toWellFormed()));
      } else if (outcome.status === 'accepted') {
        expect(parse(text)).toEqual(outcome.value);
        expect(parse(Buffer.from(text))).toEqual(outcome.value);
      } else {
        const error = thrownBy(() => parse(text));
        expect(error).toBeInstanceOf(ArgumentsError);
        expect(error).toBeInstanceOf(SyntaxError);
        const { kind, reason, echo, message } = outcome;
        expect(error).toMatchObject({ kind, reason, error: outcome.error, echo });
        const [line] = message.split('\nCall `tool` again with');
        expect((error as Error).message).toBe(
          line!.replace('arguments for `tool` were', 'arguments were'),
        );
        expect(thrownBy(() => parse(Buffer.from(text)))).toMatchObject({ kind, reason, echo });
      }
    });
  });

  it('the reviver runs last, as in JSON.parse', () => {
    holds([wrapped], ({ object, text }) => {
      const calls: [string, unknown][] = [];
      const expected: [string, unknown][] = [];
      const double =
        (into: [string, unknown][]) =>
        (key: string, value: unknown): unknown => {
          into.push([key, value]);
          return key === '10' ? undefined : typeof value === 'number' ? value * 2 : value;
        };
      expect(parse(text, double(calls))).toEqual(JSON.parse(object, double(expected)));
      expect(calls).toEqual(expected);
    });
  });

  it('arguments that were parsed already are their JSON, and share nothing with it', () => {
    holds([objectText, fc.boolean()], (text, asMap) => {
      const raw = JSON.parse(text) as Record<string, unknown>;
      const input = asMap ? new Map(Object.entries(raw)) : raw;
      const outcome = parseToolArguments('tool', input, { stop: 'length' });
      const json = JSON.stringify(raw);
      expect(outcome).toEqual({
        status: 'accepted',
        name: 'tool',
        value: JSON.parse(json),
        text: json,
        repair: 'none',
        span: { start: 0, end: json.length },
      });
      expect(valueOf(outcome)).not.toBe(raw);
      expect(parse(input)).toEqual(JSON.parse(json));
    });
  });
});

/** What JSON.parse makes of a text, where that is an object. */
function objectIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('guarantee 3, exactness of malformed, on every prefix of generated texts', () => {
  it('hope means that a continuation is accepted, none that none is', () => {
    holds(
      [anyText, fc.array(fc.constantFrom(...closers), { maxLength: 3 })],
      (raw, pieces) => {
        const text = raw.toWellFormed().slice(0, 60);
        let hopeless = 0;
        for (let end = 0; end <= text.length; end++) {
          const prefix = text.slice(0, end);
          const { verdict } = check(prefix);
          if (verdict === 'malformed') {
            hopeless++;
            for (const more of hopeless === 1 ? [...closers, pieces.join('')] : []) {
              expect(judge(prefix + more), `${prefix} and then ${more}`).toBeNull();
            }
            continue;
          }
          expect(hopeless, 'hopeless once is hopeless for ever').toBe(0);
          const now = judge(prefix)?.repair ?? null;
          expect(verdict).toBe(
            now === null ? 'incomplete' : now === 'empty' ? 'empty' : 'complete',
          );
          if (now === null && !mayLag(prefix)) {
            const more = continuationOf(prefix);
            expect(more, `a continuation of ${prefix}`).not.toBeNull();
            expect(judge(prefix + more), `${prefix} and then ${more}`).not.toBeNull();
          }
        }
      },
      Math.ceil(runs / 2),
    );
  });

  it('every prefix of an acceptable text has hope', () => {
    holds([wrapped], ({ text }) => {
      const scanner = createScanner({ keepText: false, echoLimit: 0 });
      for (const unit of units(text)) {
        scanner.feed(unit);
        expect(scanner.verdict).not.toBe('malformed');
        expect(scanner.error).toBeNull();
      }
      expect(scanner.verdict).toBe('complete');
    });
  });
});

describe('guarantee 6, nothing lost, from generated texts', () => {
  it('an accepted value is what JSON.parse gives for exactly the text, which is well-formed', () => {
    holds([fc.oneof(anyText, anyBytes)], (raw) => {
      const outcome = parseToolArguments('tool', raw);
      if (outcome.status === 'accepted') {
        expect(outcome.value).toEqual(JSON.parse(outcome.text));
        expect(outcome.text.isWellFormed()).toBe(true);
        const whole = typeof raw === 'string' ? raw.toWellFormed() : Buffer.from(raw).toString();
        if (outcome.repair !== 'double-encoding' && outcome.repair !== 'empty') {
          expect(whole).toContain(outcome.text);
        }
      }
    });
  });
});

describe('reports on generated texts', () => {
  const limits = fc.constantFrom(0, 1, 2, 10, 500, Infinity);

  it('say exactly what the rule makes them say', () => {
    holds([anyText, stop, limits, fc.boolean()], (text, signal, echoLimit, stopHint) => {
      const options = { stop: signal, echoLimit, stopHint };
      const outcome = parseToolArguments('tool', text, options);
      if (outcome.status === 'reported') {
        expect(outcome.message).toBe(messageFor(outcome, text, options));
        expect(outcome.echo).toBe(
          quote(text, echoLimit).replace(echoLimit === Infinity ? '' : /…$/, ''),
        );
        expect(outcome.message.isWellFormed()).toBe(true);
        expect(judge(outcome.replay)?.repair).toBe('none');
      }
    });
  });

  it('of bytes: invalid UTF-8 wins over everything, and says where', () => {
    holds([anyBytes, limits], (bytes, echoLimit) => {
      const outcome = parseToolArguments('tool', bytes, { echoLimit });
      const { valid, cutOff } = utf8In(bytes);
      if (valid === bytes.length) {
        expect(outcome).not.toMatchObject({ kind: 'invalid-utf8' });
      } else if (cutOff) {
        const { verdict } = check(bytes.subarray(0, valid));
        const kinds = verdict === 'malformed' ? ['malformed', 'not-object'] : ['truncated'];
        expect(kinds).toContain(outcome.status === 'reported' && outcome.kind);
        if (verdict !== 'malformed') {
          expect(outcome).toMatchObject({ reason: 'the text ended inside a character' });
          expect(check(bytes).error).toMatchObject({ code: 'eof-utf8', offset: valid });
        }
      } else {
        const reason = `invalid sequence at byte ${valid}`;
        expect(outcome).toMatchObject({ kind: 'invalid-utf8', reason });
        expect(check(bytes)).toMatchObject({
          verdict: 'malformed',
          error: { code: 'invalid-utf8', offset: valid, line: 0, column: 0 },
        });
      }
      if (outcome.status === 'reported') {
        const text = Buffer.from(bytes).toString();
        expect(outcome.message).toBe(messageFor(outcome, text, { echoLimit }));
      }
    });
  });

  it('point into the text: at the line and column of the words, or at the end', () => {
    holds([anyText], (text) => {
      const { error } = check(Buffer.from(text));
      if (error === null || error.line === 0) {
        return;
      }
      expect(error.reason).toMatch(new RegExp(` at line ${error.line} column ${error.column}$`));
      const atEnd = error.code.startsWith('eof-') ? 1 : 0;
      expect(error.offset).toBe(byteAt(text, error) + atEnd);
    });
  });
});

/** How many bytes from the start are UTF-8, and whether what follows is a sequence that was cut. */
function utf8In(bytes: Uint8Array): { valid: number; cutOff: boolean } {
  let valid = bytes.length;
  while (!isUtf8(bytes.subarray(0, valid))) {
    valid--;
  }
  const rest = bytes.subarray(valid);
  return { valid, cutOff: sequenceEnds.some((end) => isCharacter(Buffer.concat([rest, end]))) };
}

/** Bytes that complete any sequence that can be completed: for every lead, some of them fit. */
const sequenceEnds = [0x80, 0x90, 0xa0, 0xbf].flatMap((next) => [
  Buffer.of(next),
  Buffer.of(next, 0x80),
  Buffer.of(next, 0x80, 0x80),
]);

function isCharacter(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && Array.from(Buffer.from(bytes).toString()).length === 1;
}
