/**
 * Reads a command's options.
 *
 * `parseArgs` cuts the command line; what is wrong with it is said here, because
 * its own sentences differ between Node versions and run over several lines of
 * advice.
 */
import { parseArgs } from 'node:util';

import { UsageError } from './io.js';
import { visible } from './terminal.js';

/** Which options there are: a `flag` stands alone, a `value` takes what follows. */
export type OptionTable = Readonly<Record<string, 'flag' | 'value'>>;

/** What the command line said. */
export interface Options {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly positionals: readonly string[];
}

/** Reads `args`; an option that is not in the table, or is used wrongly, is a `UsageError`. */
export function readOptions(args: readonly string[], table: OptionTable): Options {
  const entries = Object.entries({ ...table, help: 'flag' });
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      entries.map(([name, use]) => [
        name,
        {
          type: use === 'flag' ? 'boolean' : 'string',
          ...(name === 'help' ? { short: 'h' } : {}),
        } as const,
      ]),
    ),
    strict: false,
    tokens: true,
  });

  const uses = new Map(entries);
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      positionals.push(token.value);
    }
    if (token.kind !== 'option') {
      continue;
    }

    const use = uses.get(token.name);
    if (use === undefined) {
      throw new UsageError(`unknown option ${visible(token.rawName)}`);
    }
    if (use === 'flag') {
      if (token.value !== undefined) {
        throw new UsageError(`${token.rawName} takes no value`);
      }
      flags.add(token.name);
      continue;
    }
    if (token.value === undefined) {
      throw new UsageError(`${token.rawName} needs a value`);
    }
    if (values.has(token.name)) {
      throw new UsageError(`${token.rawName} was given twice`);
    }
    values.set(token.name, token.value);
  }
  return { flags, values, positionals };
}

/** The one file that a command may be given. */
export function onePositional(options: Options): string | undefined {
  const [first, second] = options.positionals;
  if (second !== undefined) {
    throw new UsageError(`one file at most, and "${visible(second)}" is another`);
  }
  return first;
}
