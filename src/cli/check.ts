/**
 * `argspan check`: reads one call's arguments and prints the decision.
 *
 * The input is taken as bytes, as a gateway has it: a file in another encoding is
 * reported as such and not silently turned into replacement characters.
 */
import { createScanner, type Outcome, type StopSignal, type TextRepair } from '../index.js';
import { isOptIn, textRepairs } from '../repairs.js';
import { exitStatus, type Command } from './command.js';
import { readInput } from './input.js';
import { createWriter, UsageError, type Io } from './io.js';
import { onePositional, type Options } from './options.js';
import { jsonLine, styleFor, visible, visibleLines, type Style } from './terminal.js';

const stopSignals: readonly StopSignal[] = ['finished', 'length', 'interrupted'];

export const checkCommand: Command = {
  name: 'check',
  summary: 'reads the arguments of one call and prints the decision',
  help: `Usage: argspan check [FILE] [--name NAME] [--stop SIGNAL] [--repairs LIST] [--json]

Reads the arguments of one tool call, as bytes, from FILE or from standard input
(also "-"), and prints the decision. Nothing is guessed: text that is not one JSON
object, bare, fenced, in prose or double-encoded, is reported.

Options:
  --name NAME     the tool that was called, as the message names it (default: tool)
  --stop SIGNAL   how generation ended: finished (default), length (the output limit
                  was reached) or interrupted (the stream broke off)
  --repairs LIST  repairs of text that is malformed and was not cut off, with commas
                  between: ${textRepairs.slice(0, 3).join(', ')},
                  ${textRepairs.slice(3).join(', ')}
  --json          prints the outcome as one line of JSON

Output: the first line is the decision, with repair and span (half-open, in bytes) or
with the kind of report; all that follows is the exact text of the object, or the
exact message for the model. On a terminal control characters are shown escaped.
Input beyond 16 MiB is reported as too-large and not read to its end; no input at all
stands for no arguments, which are accepted as {}.

Exit status: 0 accepted, 1 reported, 2 misuse.
`,
  options: { name: 'value', stop: 'value', repairs: 'value', json: 'flag' },
  run: runCheck,
};

async function runCheck(options: Options, io: Io): Promise<number> {
  const stop = readStop(options.values.get('stop'));
  const name = options.values.get('name') ?? 'tool';
  const repairs = readRepairs(options.values.get('repairs'));
  const file = onePositional(options);
  const input = readInput(file === '-' ? undefined : file, io, 'the arguments');
  const outcome = await decide(input, name, stop, repairs);

  const text = options.flags.has('json')
    ? jsonLine(outcome)
    : describe(outcome, styleFor(io.stdout, io.env));
  await createWriter(io.stdout).write(text);
  return outcome.status === 'accepted' ? exitStatus.accepted : exitStatus.reported;
}

async function decide(
  input: AsyncIterable<string | Uint8Array>,
  name: string,
  stop: StopSignal,
  repairs: readonly TextRepair[],
): Promise<Outcome> {
  const scanner = createScanner({ repairs });
  try {
    for await (const chunk of input) {
      scanner.feed(chunk);
      // Only this error is final while bytes are still to come: any other report
      // can still turn into `invalid-utf8`, and its echo grows. Leaving the loop
      // also closes the input, so an endless one ends here.
      if (scanner.error?.code === 'too-large') {
        break;
      }
    }
    return scanner.finish(name, stop);
  } finally {
    scanner[Symbol.dispose]();
  }
}

function readStop(value: string | undefined): StopSignal {
  if (value === undefined) {
    return 'finished';
  }
  const stop = stopSignals.find((signal) => signal === value);
  if (stop === undefined) {
    throw new UsageError(`--stop is one of ${stopSignals.join(', ')}, not "${visible(value)}"`);
  }
  return stop;
}

function readRepairs(value: string | undefined): TextRepair[] {
  return (value?.split(',') ?? []).map((word) => {
    const name = word.trim();
    const repair = textRepairs.find((known) => known === name);
    if (repair === undefined && isOptIn(name)) {
      throw new UsageError(`--repairs ${name} needs a schema, which a gate has and this has not`);
    }
    if (repair === undefined) {
      throw new UsageError(
        `--repairs is a list of ${textRepairs.join(', ')}, which "${visible(name)}" is not`,
      );
    }
    return repair;
  });
}

function describe(outcome: Outcome, style: Style): string {
  // A pipe gets the exact text; only a terminal has to be protected from it.
  const show = style.terminal ? visibleLines : (text: string): string => text;
  switch (outcome.status) {
    case 'accepted': {
      const { start, end } = outcome.span;
      const repairs = outcome.repairs ?? [outcome.repair];
      const facts = `(repair: ${repairs.join(', ')}, span: ${start}..${end})`;
      return `${style.paint('green', 'accepted')} ${facts}\n${show(outcome.text)}\n`;
    }
    case 'reported':
      return `${style.paint('red', 'reported')} (kind: ${outcome.kind})\n${show(outcome.message)}\n`;
    default:
      return outcome satisfies never;
  }
}
