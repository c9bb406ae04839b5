/**
 * `argspan lint`: reads tool definitions and prints what in them invites wrong calls.
 */
import type { LintFinding, LintLevel } from '../lint/types.js';
import { exitStatus, type Command } from './command.js';
import { readInput } from './input.js';
import { createWriter, errorWords, Misuse, type Io } from './io.js';
import { onePositional, type Options } from './options.js';
import { jsonLine, styleFor, visible, type Colour, type Style } from './terminal.js';

const bytesMax = 16 * 1024 * 1024;

export const lintCommand: Command = {
  name: 'lint',
  summary: 'reads tool definitions and prints what in them invites wrong calls',
  help: `Usage: argspan lint [FILE] [--json]

Reads tool definitions, as JSON, from FILE or from standard input (also "-"): a list,
definitions by name, one alone, what MCP's tools/list answers, or a whole request body,
whose temperature counts too. Prints where they leave a model to guess, or a provider
refuses them, each time with a mend. docs/lint.md explains every code.

Options:
  --json  prints every finding as one line of JSON: level, code, tool, path, message, fix

Exit status: 0 nothing worse than info; 1 an error or a warning; 2 misuse, or no JSON.
`,
  options: { json: 'flag' },
  run: runLint,
};

async function runLint(options: Options, io: Io): Promise<number> {
  const file = onePositional(options);
  const document = parse(await readText(file === '-' ? undefined : file, io));
  // Not imported above: what compiles schemas would make every other command start later.
  const { lintDocument } = await import('../lint/document.js');
  const findings = lintDocument(document);
  if (findings === null) {
    throw new Misuse('the input holds no tool definitions: neither a list nor an object');
  }
  const text = options.flags.has('json')
    ? findings.map((finding) => jsonLine(finding)).join('')
    : describe(findings, styleFor(io.stdout, io.env));
  await createWriter(io.stdout).write(text);
  const clean = findings.every(({ level }) => level === 'info');
  return clean ? exitStatus.accepted : exitStatus.reported;
}

async function readText(file: string | undefined, io: Io): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of readInput(file, io, 'the definitions')) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    bytes += part.byteLength;
    if (bytesMax < bytes) {
      throw new Misuse(`the input is larger than ${bytesMax} bytes`);
    }
    chunks.push(part);
  }
  try {
    // Takes a byte order mark away, which editors put before JSON.
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Misuse('the input is not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Misuse(`the input is not JSON: ${visible(errorWords(error))}`);
  }
}

const colours: Readonly<Record<LintLevel, Colour>> = {
  error: 'red',
  warning: 'yellow',
  info: 'cyan',
};

function describe(findings: readonly LintFinding[], style: Style): string {
  if (findings.length === 0) {
    return 'no findings\n';
  }
  const blocks = findings.map(({ level, code, tool, path, message, fix }) => {
    const where = [tool ?? '', path].filter((part) => part !== '').map((part) => visible(part));
    const head = [style.paint(colours[level], `${level} ${code}`), ...where].join('  ');
    return `${head}\n  ${visible(message)}\n  mend: ${visible(fix)}\n`;
  });
  const count = (level: LintLevel): number =>
    findings.filter((finding) => finding.level === level).length;
  const counts = `errors: ${count('error')}, warnings: ${count('warning')}, infos: ${count('info')}`;
  return `${blocks.join('\n')}\n${counts}\n`;
}
