/**
 * The one input of a command: a file, or standard input.
 */
import { createReadStream, fstatSync } from 'node:fs';

import { createWriter, Misuse, systemReason, type Io } from './io.js';
import { visible } from './terminal.js';

/**
 * Reads a file, or standard input where there is none, in chunks. What cannot be read is a
 * `Misuse`.
 *
 * @param what - what is read, as a person at a terminal is told
 */
export async function* readInput(
  file: string | undefined,
  io: Io,
  what: string,
): AsyncGenerator<string | Uint8Array> {
  try {
    yield* file === undefined ? standardInput(io, what) : createReadStream(file);
  } catch (error) {
    const source = file === undefined ? 'standard input' : `"${visible(file)}"`;
    throw new Misuse(`cannot read ${source}: ${systemReason(error)}`);
  }
}

async function* standardInput(
  { stdin, stderr }: Io,
  what: string,
): AsyncGenerator<string | Uint8Array> {
  if (stdin.isTTY === true) {
    await createWriter(stderr).write(
      `Reading ${what} from the terminal; an end of file (Ctrl-D) ends the input.\n`,
    );
  } else if (stdin.fd !== undefined && fstatSync(stdin.fd).isDirectory()) {
    // Node takes a directory there for an empty input, and that is a call without
    // arguments: accepted, where nothing was read at all.
    throw new Error('it is a directory');
  }
  yield* stdin;
}
