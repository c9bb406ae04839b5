/** What a command is: one file each, listed in `commands.ts`. */
import type { Io } from './io.js';
import type { Options, OptionTable } from './options.js';

/** Exit statuses, which are API. */
export const exitStatus = {
  /** The arguments were accepted, or the command did what was asked. */
  accepted: 0,
  /** The arguments were read and must go back to the model. */
  reported: 1,
  /** The command could not be carried out: unknown option, unreadable file, no addon. */
  misuse: 2,
} as const;

/** One command of `argspan`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `argspan help <name>` prints. */
  readonly help: string;
  readonly options: OptionTable;
  /** Resolves to the exit status; a `Misuse` becomes one line and status 2. */
  run(options: Options, io: Io): Promise<number>;
}
