/**
 * Ids by which a provider tells the calls of a turn apart: valid on a wire, and each its own.
 */

import { createHash } from 'node:crypto';

import { checkWord } from '../input.js';
import type { WireFormat } from '../wire/types.js';

/** What an id may be made of, and how long it may be. */
interface IdRule {
  readonly valid: RegExp;
  readonly foreign: RegExp;
  readonly lengthMax: number;
  readonly prefix: string;
}

const anyVisible = /[^\x21-\x7e]/g;
const wordsOnly = /[^\w-]/g;

/** Beyond these, requests are refused: by OpenAI for the length, by Anthropic for the characters. */
const idRules: Readonly<Record<WireFormat, IdRule>> = {
  'openai-chat': {
    valid: /^[\x21-\x7e]{1,40}$/,
    foreign: anyVisible,
    lengthMax: 40,
    prefix: 'call_',
  },
  'anthropic-messages': {
    valid: /^[\w-]{1,64}$/,
    foreign: wordsOnly,
    lengthMax: 64,
    prefix: 'toolu_',
  },
  'openai-responses': {
    valid: /^[\x21-\x7e]{1,64}$/,
    foreign: anyVisible,
    lengthMax: 64,
    prefix: 'call_',
  },
};
const formats = Object.keys(idRules) as WireFormat[];

const HASH_LENGTH = 10;

/** Characters of a name that a model has made up. */
const NAME_MAX = 64;

/**
 * The id as a wire takes it: the same for the same id, and different for different ones.
 *
 * @throws TypeError | RangeError for a wrong format
 */
export function wireId(id: string, format: WireFormat): string {
  const { valid, foreign, lengthMax, prefix } = ruleOf(format);
  if (valid.test(id)) {
    return id;
  }
  const hash = createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, HASH_LENGTH);
  const kept = id.slice(0, lengthMax - HASH_LENGTH - 1).replaceAll(foreign, '_');
  return kept === '' ? prefix + hash : `${kept}_${hash}`;
}

function ruleOf(format: WireFormat): IdRule {
  checkWord(format, 'format', formats);
  return idRules[format];
}

/** A name that a model has made up, as every provider takes it back. */
export function plainName(name: string): string {
  const plain = name.slice(0, NAME_MAX).replaceAll(wordsOnly, '_');
  return plain === '' ? 'unknown' : plain;
}

/**
 * Ids of which no two are the same, on any wire: the first call with an id keeps it, those behind it
 * get a number at its end. The same for the same list.
 */
export function distinctIds(ids: readonly string[]): string[] {
  // So that no new id is one that another call has of its own.
  const given = new Set(ids);
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  const claim = (id: string): boolean => {
    const forms = formats.map((format) => wireId(id, format));
    const free = !taken.has(id) && !forms.some((form) => taken.has(form));
    if (free) {
      for (const form of [id, ...forms]) {
        taken.add(form);
      }
    }
    return free;
  };
  return ids.map((id) => {
    if (claim(id)) {
      return id;
    }
    for (let number = numbers.get(id) ?? 2; ; number++) {
      const numbered = `${id}_${number}`;
      if (!given.has(numbered) && claim(numbered)) {
        numbers.set(id, number + 1);
        return numbered;
      }
    }
  });
}
