/**
 * A copy of what a definition says as JSON, which shares nothing with it.
 *
 * Definitions come from files and from other people's servers: a getter may throw, an object may
 * hold itself, and a few lines can stand for a tree of any size. What is looked at afterwards is
 * plain, finite and no deeper than `createGate` takes.
 */

/** Levels of nesting that `createGate` takes. */
export const LEVELS_MAX = 100;
/** Values, and characters of strings and keys, of one definition. */
const VALUES_MAX = 100_000;
const CHARACTERS_MAX = 1 << 20;

/** Why there is no copy. */
export class NoCopy extends Error {
  readonly large: boolean;

  constructor(message: string, large = false) {
    super(message);
    this.large = large;
  }
}

/**
 * Copies a value as its JSON would be read.
 *
 * @throws NoCopy
 */
export function copyOf(value: unknown): unknown {
  const room = { values: VALUES_MAX, characters: CHARACTERS_MAX };
  try {
    return copy(value, 1, room);
  } catch (error) {
    throw error instanceof NoCopy ? error : new NoCopy('it cannot be read');
  }
}

interface Room {
  values: number;
  characters: number;
}

function copy(value: unknown, level: number, room: Room): unknown {
  take(room, typeof value === 'string' ? value.length : 0);
  if (typeof value === 'bigint') {
    throw new NoCopy('it holds a BigInt, which has no JSON');
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : null;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (LEVELS_MAX < level) {
    throw new NoCopy(`it holds itself, or has more than ${LEVELS_MAX} levels`);
  }
  if (Array.isArray(value)) {
    // Counted before anything is made of it: a list may be long and empty.
    take({ ...room }, 0, value.length);
    return Array.from(value, (member: unknown) => {
      const copied = copy(member, level + 1, room);
      return isJson(copied) ? copied : null;
    });
  }
  const members: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    take(room, key.length, 0);
    const copied = copy((value as Readonly<Record<string, unknown>>)[key], level + 1, room);
    if (isJson(copied)) {
      members.push([key, copied]);
    }
  }
  // Makes properties of its own, whatever the keys are called.
  return Object.fromEntries(members);
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function take(room: Room, characters: number, values = 1): void {
  room.values -= values;
  room.characters -= characters;
  if (room.values < 0 || room.characters < 0) {
    throw new NoCopy('it is too large to be looked into', true);
  }
}
