/**
 * `argspan demo`: what the library is for, on real input.
 *
 * Small models' tool calls, recorded token by token, go through the scanner as they
 * were streamed. What an agent or a gateway would have known, and when, is shown.
 */
import { exitStatus, type Command } from './command.js';
import { byModel, callText, headerText, parametersOf, summaryText } from './demo-text.js';
import { createWriter, UsageError, type Io } from './io.js';
import { onePositional, type Options } from './options.js';
import { readRecordings } from './recordings.js';
import { replay, timeScan, type Replay } from './replay.js';
import { summarise } from './summary.js';
import { jsonLine, styleFor } from './terminal.js';
import { wirePieces } from './wire-demo.js';

/** Calls shown in detail without `--all`: the first ones, which the shipped file puts first for that. */
const shownByDefault = 12;

export const demoCommand: Command = {
  name: 'demo',
  summary: 'replays recorded tool calls of two small models; --wire compares clients',
  help: `Usage: argspan demo [FILE] [--all] [--json]
       argspan demo --wire [--json]

Replays recorded tool calls, a fragment at a time as they were streamed, and shows for
each: the verdict as it changes, the byte at which the object was known or the call
became hopeless, what an abort there would have saved, the decision with the recorded
stop signal, and the message that the model would get. A table over all calls closes it.

The calls that come with the package are those of two small language models, of 135
and 270 million parameters. FILE holds others, one JSON object a line: "id", "model",
"tool", "stop" ("eos" or "length"), "fragments" (strings).

Options:
  --all   shows every call, not only the first ${shownByDefault}
  --json  prints every call as one line of JSON
  --wire  shows instead what the official clients make of streamed responses, beside
          what argspan says: servers on 127.0.0.1 stream the three wire formats. With
          --json: type "scene", title, format, client (calls, or what it threw), calls

Lines of --json (bytes and offsets count UTF-8 from the start of the arguments; those
inside "error" and "outcome" are the API's own, UTF-16 units here):
  type "source"   recordings, models: [{ name, parameters }]
  type "call"     id, model, tool, style, temperature, stop (finished or length),
                  fragments, bytes (counts),
                  verdicts: [{ verdict, fragment, byte }], changes after "empty",
                  objectStart, known: { span, fragment, byte } or null,
                  hopeless: { fragment, byte, error } or null,
                  saved: { fragments, bytes } by an abort once hopeless,
                  outcome: with the stop signal, as the API gives it,
                  agrees: with the recorded decision by the text alone, or null
  type "summary"  recordings, fragments, bytes, accepted and reported (total, and by
                  repair or kind), acceptableButCut, hopeless, saved (with shares),
                  compared, agreed, scanMilliseconds, models: the same counts by name

Exit status: 0, or 2 misuse.
`,
  options: { all: 'flag', json: 'flag', wire: 'flag' },
  run: runDemo,
};

async function runDemo(options: Options, io: Io): Promise<number> {
  if (options.flags.has('wire')) {
    // Taken and not looked at, they would seem to have been replayed.
    if (options.positionals.length > 0 || options.flags.has('all')) {
      throw new UsageError('--wire shows responses of its own: it takes neither FILE nor --all');
    }
    const pieces = wirePieces(options.flags.has('json'), styleFor(io.stdout, io.env));
    const writer = createWriter(io.stdout);
    for await (const piece of pieces) {
      if (!(await writer.write(piece))) {
        break;
      }
    }
    return exitStatus.accepted;
  }
  const replays = readRecordings(onePositional(options)).map(replay);
  // After the replays: what is timed has been compiled by then, as in a server.
  const scanMilliseconds = replays.reduce(
    (total, { recording }) => total + timeScan(recording).milliseconds,
    0,
  );
  const pieces = options.flags.has('json')
    ? jsonPieces(replays, scanMilliseconds)
    : textPieces(replays, scanMilliseconds, options.flags.has('all'), io);

  const writer = createWriter(io.stdout);
  for (const piece of pieces) {
    if (!(await writer.write(piece))) {
      break;
    }
  }
  return exitStatus.accepted;
}

function* textPieces(
  replays: readonly Replay[],
  scanMilliseconds: number,
  all: boolean,
  io: Io,
): Generator<string> {
  const style = styleFor(io.stdout, io.env);
  const shown = all ? replays : replays.slice(0, shownByDefault);
  yield headerText(replays, shown.length, style);
  for (const [index, item] of shown.entries()) {
    yield callText(item, index + 1, style);
  }
  yield summaryText(replays, scanMilliseconds, style);
}

function* jsonPieces(replays: readonly Replay[], scanMilliseconds: number): Generator<string> {
  const models = byModel(replays);
  yield jsonLine({
    type: 'source',
    recordings: replays.length,
    models: [...models.keys()].map((name) => ({ name, parameters: parametersOf(name) })),
  });
  for (const item of replays) {
    yield jsonLine(callFields(item));
  }
  const summaries = [...models].map(([model, own]) => [model, summarise(own)]);
  yield jsonLine({
    type: 'summary',
    ...summarise(replays),
    scanMilliseconds,
    models: Object.fromEntries(summaries),
  });
}

function callFields({ recording, ...facts }: Replay): object {
  return {
    type: 'call',
    id: recording.id,
    model: recording.model,
    tool: recording.tool,
    style: recording.style,
    temperature: recording.temperature,
    stop: facts.stop,
    fragments: facts.fragments,
    bytes: facts.bytes,
    verdicts: facts.changes,
    objectStart: facts.objectStart,
    known: facts.known,
    hopeless: facts.hopeless,
    saved: facts.saved,
    outcome: facts.outcome,
    agrees: facts.agrees,
  };
}
