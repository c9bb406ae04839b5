/**
 * One response in the addon, and the events and calls that come out of it.
 *
 * The addon's state is freed when the response has ended or is disposed of. One that is dropped
 * before is freed some time after the garbage collector found it; the addon tells the collector
 * how much hangs on it. Feeding costs one call to the addon, and nothing more where nothing
 * happened; events are built when they do.
 */

import { outcomeOf, reportOf } from '../decide.js';
import { type Decision, readDecision, readError, readSpan } from '../decision.js';
import { CHARACTER_BYTES_MAX } from '../kept.js';
import {
  Fact,
  streamAddon as addon,
  fact,
  factBuffer,
  facts,
  textUnitsMax,
  verdictOf,
} from '../native.js';
import type { Accepted, Outcome, StopSignal } from '../outcome.js';
import { mintId } from './id.js';
import { type WireSettings, formatNumber, readWireOptions } from './options.js';
import type { ToolCall, ToolCallEvent, WireFormat, WireOptions } from './types.js';

/** What is returned where nothing happened: always the same array. */
const noEvents: readonly ToolCallEvent[] = Object.freeze([]);

/** The kinds of notes; `nextNote` in `native/node/src/wire.rs`. */
const Note = { none: 0, start: 1, fragment: 2, verdict: 3, finish: 4, error: 5 } as const;

/** The parts of a call; `mod part` in `native/node/src/wire.rs`. */
const Part = {
  id: 0,
  name: 1,
  kind: 2,
  word: 3,
  text: 4,
  plain: 5,
  firstName: 6,
  count: 8,
} as const;

/** A text of a call. */
function textOf(stream: number, call: number, part: (typeof Part)[keyof typeof Part]): string {
  return addon.callText(stream, call * Part.count + part);
}

const stops: readonly StopSignal[] = ['finished', 'length', 'interrupted'];
const assemblies = ['plain', 'repeated', 'cumulative', 'placeholder'] as const;

/** The flags of a call that is described. */
const Flag = { finished: 1, stopShift: 1, assemblyShift: 3, wordKnown: 1 << 5 } as const;

/** The format whose ids begin otherwise than the others'. */
const MESSAGES = formatNumber('anthropic-messages');

const abandoned = new FinalizationRegistry<number>((stream) => {
  addon.closeStream(stream);
});

/** Opens a stream in the addon; returns its number. */
function open(format: number, settings: WireSettings): number {
  const kept = settings.keepText ? -1 : (settings.echoLimit + 1) * CHARACTER_BYTES_MAX;
  facts.set([
    format,
    settings.maxArgumentBytes,
    settings.maxTotalBytes,
    settings.maxEventBytes,
    settings.maxCalls,
    settings.maxNameBytes,
    settings.echoLimit === 0 && !settings.keepText ? 0 : kept,
    Number(settings.fragments),
    Number(settings.stopPolicy === 'text'),
  ]);
  return addon.openStream(factBuffer);
}

/** Reads one response. */
export class Reader {
  readonly #what: string;
  readonly #settings: WireSettings;
  /** The addon's number, or -1 once there is nothing more to read. */
  #stream: number;
  #disposed = false;
  /** Ids that were made up. */
  readonly #minted = new Map<number, string>();
  /** The calls that are over, by the addon's numbers. */
  readonly #calls = new Map<number, ToolCall>();

  /** @param what - what this is, for errors */
  constructor(what: string, format: WireFormat | 'auto', options: WireOptions) {
    const number = formatNumber(format);
    this.#what = what;
    this.#settings = readWireOptions(options);
    this.#stream = open(number, this.#settings);
    abandoned.register(this, this.#stream, this);
  }

  /** Takes bytes of an event stream or body, cut anywhere. */
  feedBytes(bytes: Uint8Array): readonly ToolCallEvent[] {
    return this.#events(addon.feedStream(this.#open(), bytes));
  }

  /** Takes the JSON text of one event, or of a body. */
  feedText(text: string, isBody: boolean): readonly ToolCallEvent[] {
    const stream = this.#open();
    let start = 0;
    for (; text.length - start > textUnitsMax; start += textUnitsMax) {
      addon.gather(text.slice(start, start + textUnitsMax));
    }
    const last = start === 0 ? text : text.slice(start);
    const waiting = isBody ? addon.feedBodyText(stream, last) : addon.feedEvent(stream, last);
    return this.#events(waiting);
  }

  /** Takes a whole body. */
  feedBody(bytes: Uint8Array): readonly ToolCallEvent[] {
    return this.#events(addon.feedBody(this.#open(), bytes));
  }

  /** The response has ended. */
  flush(): readonly ToolCallEvent[] {
    this.#alive();
    if (this.#stream < 0) {
      return noEvents;
    }
    const stream = this.#stream;
    const events = this.#events(addon.flushStream(stream));
    for (const [number, call] of this.#calls) {
      const word = textOf(stream, number, Part.word);
      if (word !== '' && call.stopReason === null) {
        // The event said what was known then.
        this.#calls.set(number, { ...call, stopReason: word });
      }
    }
    this.#close();
    return events;
  }

  /** All calls, in the order of the wire where it has one. */
  finish(): ToolCall[] {
    this.flush();
    const byChoice = new Map<number, ToolCall[]>();
    for (const call of this.#calls.values()) {
      const calls = byChoice.get(call.choice);
      if (calls === undefined) {
        byChoice.set(call.choice, [call]);
      } else {
        calls.push(call);
      }
    }
    return [...byChoice]
      .sort(([one], [other]) => one - other)
      .flatMap(([, calls]) => inOrder(calls));
  }

  dispose(): void {
    this.#disposed = true;
    this.#close();
    this.#calls.clear();
  }

  #close(): void {
    if (this.#stream >= 0) {
      abandoned.unregister(this);
      addon.closeStream(this.#stream);
      this.#stream = -1;
    }
  }

  #alive(): void {
    if (this.#disposed) {
      throw new TypeError(`this ${this.#what} was disposed of`);
    }
  }

  #open(): number {
    if (this.#stream < 0) {
      this.#alive();
      throw new TypeError(`this ${this.#what} has ended: nothing can be fed after flush or finish`);
    }
    return this.#stream;
  }

  /** Takes the notes that wait. */
  #events(waiting: number): readonly ToolCallEvent[] {
    if (waiting === 0) {
      return noEvents;
    }
    const events: ToolCallEvent[] = [];
    for (;;) {
      const note = addon.nextNote(this.#stream, factBuffer);
      if (note === Note.none) {
        return events;
      }
      events.push(this.#event(note));
    }
  }

  #event(note: number): ToolCallEvent {
    const stream = this.#stream;
    const number = fact(Fact.call);
    const index = fact(Fact.index);
    const choice = fact(Fact.choice);
    switch (note) {
      case Note.start: {
        const isMessages = fact(Fact.flags) === MESSAGES;
        const id = this.#id(number, isMessages);
        const name = textOf(stream, number, Part.firstName);
        return { type: 'start', index, choice, id, name };
      }
      case Note.fragment:
        return { type: 'fragment', index, choice, text: addon.noteText(stream, 0) ?? '' };
      case Note.verdict: {
        const verdict = verdictOf(fact(Fact.flags)) === 'complete' ? 'complete' : 'malformed';
        const error = readError(fact(Fact.limit));
        return { type: 'verdict', index, choice, verdict, span: readSpan(), error };
      }
      case Note.finish: {
        const call = this.#call(number, index, choice, fact(Fact.wireIndex));
        this.#calls.set(number, call);
        return { type: 'finish', call };
      }
      default: {
        const code = addon.noteText(stream, 0);
        const type = addon.noteText(stream, 1);
        return { type: 'error', error: { code, type, message: addon.noteText(stream, 2) ?? '' } };
      }
    }
  }

  #id(number: number, isMessages: boolean): string {
    const known = this.#minted.get(number) ?? textOf(this.#stream, number, Part.id);
    if (known !== '') {
      return known;
    }
    const minted = mintId(isMessages ? 'toolu_' : 'call_');
    this.#minted.set(number, minted);
    return minted;
  }

  #call(number: number, index: number, choice: number, wireIndex: number): ToolCall {
    const stream = this.#stream;
    const { keepText } = this.#settings;
    facts[Fact.call] = number;
    addon.describeCall(stream, factBuffer);
    const flags = fact(Fact.flags);
    const bytesMax = fact(Fact.limit);
    const stop = stops[(flags >> Flag.stopShift) & 3] ?? 'finished';
    const decision = readDecision(fact(Fact.summary), stop, bytesMax);
    const assembly = assemblies[(flags >> Flag.assemblyShift) & 3] ?? 'plain';
    const kind = textOf(stream, number, Part.kind) || 'function';
    const name = textOf(stream, number, Part.name);
    const kept = textOf(stream, number, Part.text);
    const plain = keepText && assembly !== 'plain' ? textOf(stream, number, Part.plain) : kept;
    const word = (flags & Flag.wordKnown) === 0 ? '' : textOf(stream, number, Part.word);
    return {
      index,
      wireIndex: wireIndex < 0 ? null : wireIndex,
      choice,
      id: this.#id(number, false),
      name,
      kind,
      text: keepText ? kept : '',
      rawText: keepText ? plain : '',
      finished: (flags & Flag.finished) !== 0,
      stopReason: word === '' ? null : word,
      assembly,
      outcome: kind === 'function' ? this.#outcome(name, decision, stop, bytesMax, kept) : null,
    };
  }

  #outcome(
    name: string,
    decision: Decision,
    stop: StopSignal,
    bytesMax: number,
    kept: string,
  ): Outcome {
    const { keepText, echoLimit, stopHint } = this.#settings;
    const settings = { stop, echoLimit, bytesMax, stopHint, repairs: 0 };
    if (keepText) {
      return outcomeOf(name, decision, settings, (start, end) => kept.slice(start, end));
    }
    if (decision.kind === null) {
      return withoutValue(name, decision);
    }
    // What is kept begins where the text without white space does.
    const from = decision.text.start;
    const slice = (start: number, end: number) => kept.slice(start - from, end - from);
    return reportOf(name, decision, settings, slice, null);
  }
}

/** An accepted outcome whose text was not kept: there is nothing to run. */
function withoutValue(name: string, { foundBy, span }: Decision): Accepted {
  const outcome = {
    status: 'accepted',
    name,
    text: '',
    repair: foundBy ?? 'none',
    span: span ?? { start: 0, end: 0 },
  };
  Object.defineProperty(outcome, 'value', {
    get(): never {
      throw new TypeError('there is no value: the text was not kept (keepText: false)');
    },
  });
  return outcome as Accepted;
}

/** The calls of one choice: by their wire indexes where those say it, else as they arrived. */
function inOrder(calls: readonly ToolCall[]): ToolCall[] {
  const indexes = new Set(calls.map(({ wireIndex }) => wireIndex));
  const ordered = !indexes.has(null) && indexes.size === calls.length;
  return [...calls].sort((one, other) =>
    ordered ? (one.wireIndex ?? 0) - (other.wireIndex ?? 0) : one.index - other.index,
  );
}
