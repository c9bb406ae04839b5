/**
 * `argspan inspect`: reads a recorded response and prints the tool calls that are in it.
 */
import { createToolCallStream } from '../wire/index.js';
import type { ToolCall, ToolCallEvent, WireErrorEvent, WireFormat } from '../wire/index.js';
import { exitStatus, type Command } from './command.js';
import { readInput } from './input.js';
import { createWriter, UsageError, type Io } from './io.js';
import { onePositional, type Options } from './options.js';
import {
  jsonLine,
  padEnd,
  styleFor,
  truncate,
  visible,
  visibleLines,
  type Style,
} from './terminal.js';

const formats: readonly (WireFormat | 'auto')[] = [
  'auto',
  'openai-chat',
  'anthropic-messages',
  'openai-responses',
];

export const inspectCommand: Command = {
  name: 'inspect',
  summary: 'reads a recorded response and prints the tool calls in it',
  help: `Usage: argspan inspect [FILE] [--format FORMAT] [--json]

Reads one response of a model provider, as bytes, from FILE or from standard input (also
"-"): an event stream or a whole JSON body. Prints what became of each tool call in it: a
call is accepted only where its wire says that it is finished.

Options:
  --format FORMAT  ${formats.slice(1).join(', ')},
                   or auto (default), where the first event tells
  --json           prints every call as one line of JSON

Output: a table of the calls, then what the model would be told for each that is
reported, and the errors that the response holds. Lines of --json: type "call" with the
fields of the API's ToolCall, type "error" with code, errorType and message. Input that
is no response of a known format holds no calls.

Exit status: 0 every call is accepted, or none is there; 1 one was reported, or the
response holds an error; 2 misuse.
`,
  options: { format: 'value', json: 'flag' },
  run: runInspect,
};

async function runInspect(options: Options, io: Io): Promise<number> {
  const format = readFormat(options.values.get('format'));
  const { calls, errors } = await read(format, onePositional(options), io);
  const text = options.flags.has('json')
    ? [
        ...calls.map((call) => jsonLine({ type: 'call', ...call })),
        ...errors.map(({ error }) => jsonLine({ ...error, type: 'error', errorType: error.type })),
      ].join('')
    : describe(calls, errors, styleFor(io.stdout, io.env));
  await createWriter(io.stdout).write(text);
  const allAccepted = calls.every(
    ({ outcome }) => outcome === null || outcome.status === 'accepted',
  );
  return allAccepted && errors.length === 0 ? exitStatus.accepted : exitStatus.reported;
}

async function read(
  format: WireFormat | 'auto',
  file: string | undefined,
  io: Io,
): Promise<{ calls: ToolCall[]; errors: WireErrorEvent[] }> {
  const stream = createToolCallStream(format);
  const errors: WireErrorEvent[] = [];
  const note = (events: readonly ToolCallEvent[]): void => {
    errors.push(...events.filter((event) => event.type === 'error'));
  };
  try {
    for await (const chunk of readInput(file === '-' ? undefined : file, io, 'the response')) {
      note(stream.feed(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
    }
    note(stream.flush());
    return { calls: stream.finish(), errors };
  } finally {
    stream[Symbol.dispose]();
  }
}

function readFormat(value: string | undefined): WireFormat | 'auto' {
  const format = formats.find((candidate) => candidate === (value ?? 'auto'));
  if (format === undefined) {
    throw new UsageError(`--format is one of ${formats.join(', ')}, not "${visible(value ?? '')}"`);
  }
  return format;
}

const columns = [
  'call',
  'kind',
  'name',
  'finished',
  'stop reason',
  'outcome',
  'arguments',
] as const;

function describe(
  calls: readonly ToolCall[],
  errors: readonly WireErrorEvent[],
  style: Style,
): string {
  return [
    ...table(calls, style),
    ...calls.flatMap((call) => reportOf(call, style)),
    ...errors.flatMap(({ error }) => [
      '',
      style.paint('red', `error ${visible(error.code ?? error.type ?? '')}`.trimEnd()),
      visibleLines(error.message),
    ]),
    '',
  ].join('\n');
}

function table(calls: readonly ToolCall[], style: Style): string[] {
  if (calls.length === 0) {
    return ['no tool calls'];
  }
  const rows = calls.map(rowOf);
  const widths = columns.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => Math.min(row[column]?.length ?? 0, 40))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const last = column === columns.length - 1;
        return last ? cell : padEnd(truncate(cell, widths[column] ?? 0), widths[column] ?? 0);
      })
      .join('  ')
      .trimEnd();
  return [
    style.paint('bold', line(columns)),
    ...rows.map((row, place) => {
      const accepted = calls[place]?.outcome?.status !== 'reported';
      return style.paint(accepted ? 'green' : 'red', truncate(line(row), style.columns));
    }),
  ];
}

function rowOf(call: ToolCall): string[] {
  const { outcome } = call;
  const decided =
    outcome === null
      ? '-'
      : outcome.status === 'accepted'
        ? `accepted (${outcome.repair})`
        : `reported (${outcome.kind})`;
  return [
    call.choice === 0 ? `${call.index}` : `${call.choice}.${call.index}`,
    call.kind,
    call.name,
    call.finished ? 'yes' : 'no',
    call.stopReason ?? '-',
    decided,
    call.text,
  ].map(visible);
}

function reportOf({ outcome, name }: ToolCall, style: Style): string[] {
  return outcome?.status === 'reported'
    ? [
        '',
        style.paint('bold', `to the model, for ${visible(name)}:`),
        visibleLines(outcome.message),
      ]
    : [];
}
