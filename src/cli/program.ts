/**
 * The program: finds the command, and turns what went wrong into one line.
 *
 * It is apart from `main.ts` so that tests run it without a process of its own.
 */
import { readFileSync } from 'node:fs';

import { exitStatus, type Command } from './command.js';
import { commands } from './commands.js';
import { createWriter, Misuse, UsageError, type Io } from './io.js';
import { readOptions } from './options.js';
import { packageFile } from './package-files.js';
import { visible } from './terminal.js';

/** Runs `argspan` with the arguments after its name; resolves to the exit status. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args;
  const command = commands.find((candidate) => candidate.name === name);
  try {
    if (command === undefined) {
      return await runWithoutCommand(name, rest, io);
    }
    const options = readOptions(rest, command.options);
    if (options.flags.has('help')) {
      return await print(command.help, io);
    }
    return await command.run(options, io);
  } catch (error) {
    if (!(error instanceof Misuse)) {
      throw error;
    }
    const program = command === undefined ? 'argspan' : `argspan ${command.name}`;
    const help = command === undefined ? 'argspan --help' : `argspan help ${command.name}`;
    const advice = error instanceof UsageError ? ` (see: ${help})` : '';
    await createWriter(io.stderr).write(`${program}: ${error.message}${advice}\n`);
    return exitStatus.misuse;
  }
}

async function runWithoutCommand(
  name: string | undefined,
  rest: readonly string[],
  io: Io,
): Promise<number> {
  switch (name) {
    case '--version':
    case '-v':
      return print(`${packageVersion()}\n`, io);
    case '--help':
    case '-h':
      return print(programHelp(), io);
    case 'help': {
      const [topic] = rest;
      if (topic === undefined || topic === 'help') {
        return print(programHelp(), io);
      }
      const command = commands.find((candidate) => candidate.name === topic);
      if (command === undefined) {
        throw unknownCommand(topic);
      }
      return print(command.help, io);
    }
    case undefined:
      throw new UsageError(`a command is missing: ${commandNames()}`);
    default:
      if (name.startsWith('-')) {
        throw new UsageError(`unknown option ${visible(name)}`);
      }
      throw unknownCommand(name);
  }
}

async function print(text: string, io: Io): Promise<number> {
  await createWriter(io.stdout).write(text);
  return exitStatus.accepted;
}

function unknownCommand(name: string): UsageError {
  return new UsageError(`unknown command "${visible(name)}", there are: ${commandNames()}`);
}

function commandNames(): string {
  return [...commands.map((command) => command.name), 'help'].join(', ');
}

function programHelp(): string {
  const list = commands.map((command: Command) => `  ${command.name.padEnd(8)}${command.summary}`);
  return `Usage: argspan <command> [options]

Reads the arguments of a model's tool call: are they acceptable, where is the
object, and if not, what should the model be told.

Commands:
${list.join('\n')}
  help    explains a command: argspan help <command>

Options:
  -h, --help     shows this, or a command's help after its name
  -v, --version  prints the version

Exit status: 0 accepted, or nothing to say against it; 1 reported; 2 misuse, or
input that cannot be read; 70 a defect of argspan.
`;
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    return String(manifest.version);
  }
  throw new Misuse('package.json holds no version');
}
