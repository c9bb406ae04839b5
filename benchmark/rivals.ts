// Those who read a stream of arguments, beside argspan: each is asked after every fragment.

import assert from 'node:assert/strict';

import { duel } from './duel.js';
import { fragmentsOf, required } from './fixtures.js';
import { type Rereader, loadFollowers, loadRereaders } from './peers.js';
import type { Contestant, Effort } from './race.js';
import type { Row, Section } from './results.js';
import { FRAGMENT, feedAndLook, joinAndParse } from './streams.js';

export const rivalSections: readonly Section[] = [
  {
    id: 'rereading',
    title: '20 KB in 4-character fragments, times faster than readers that start over each time',
    note:
      'They give a partial value after each fragment, argspan a verdict and the value at the end. ' +
      'Each is asked after every fragment, as the AI SDK does it; the openai SDK asks at growing ' +
      "distances, Anthropic's where `input` is read. So many prefixes take minutes: evenly spaced ones are " +
      'read, and their time multiplied.',
  },
  {
    id: 'following',
    title: '20 KB in 4-character fragments, times faster than readers that go on where they were',
    note: 'Nothing is required here. What each knows after a fragment stands beside its name.',
  },
];

const [text] = required.code.texts;
const fragments = fragmentsOf(text, FRAGMENT);
const value: unknown = JSON.parse(text);

function readSome({ read }: Rereader, stride: number): unknown {
  let soFar = '';
  let result: unknown;
  for (const [index, fragment] of fragments.entries()) {
    soFar += fragment;
    if (index % stride === 0) {
      result = read(soFar);
    }
  }
  return result;
}

async function readSomeAndWait({ read }: Rereader, stride: number): Promise<unknown> {
  let soFar = '';
  let result: unknown;
  for (const [index, fragment] of fragments.entries()) {
    soFar += fragment;
    if (index % stride === 0) {
      result = await read(soFar);
    }
  }
  return result;
}

/** A reader over so many evenly spaced prefixes; a thing is the part of a stream that this is. */
function reading(peer: Rereader, stride: number): Contestant {
  const { name, waits = false } = peer;
  const run = waits ? () => readSomeAndWait(peer, stride) : () => readSome(peer, stride);
  return { name, waits, run, things: Math.ceil(fragments.length / stride) / fragments.length };
}

const argspan: Contestant = { name: 'argspan', run: () => feedAndLook(fragments) };

async function compare(
  section: string,
  what: string,
  rival: Contestant,
  effort: Effort,
): Promise<Row> {
  const target = section === 'rereading' ? { must: 200, aim: 1000 } : null;
  return duel({ section, what, reading: 'faster', target }, argspan, rival, effort);
}

/** Every so many prefixes are read by those who start over. */
export interface RivalEffort extends Effort {
  readonly stride: number;
}

export async function* rivals(effort: RivalEffort): AsyncGenerator<Row> {
  for (const peer of await loadRereaders()) {
    assert.deepEqual(await peer.read(text), value);
    const contestant = reading(peer, effort.stride);
    yield await compare('rereading', peer.name, contestant, effort);
  }
  for (const { follow, knows, name, waits = false } of await loadFollowers()) {
    assert.deepEqual(await follow(fragments), value);
    const contestant: Contestant = { name, waits, run: () => follow(fragments) };
    yield await compare('following', `${name}: ${knows}`, contestant, effort);
  }
  const atEnd: Contestant = { name: 'JSON.parse', run: () => joinAndParse(fragments) };
  yield await compare('following', '`JSON.parse` at the end: nothing', atEnd, effort);
}
