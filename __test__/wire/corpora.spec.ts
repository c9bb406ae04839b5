// Recorded streams of real providers, where they are: ../shared/corpora, or ARGSPAN_CORPORA.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

import type { ToolCall, WireFormat } from '../../src/wire/index.js';
import { inRandomChunks, objectsOf, readBytes, readEvents } from '../support/wire.js';

const root =
  process.env['ARGSPAN_CORPORA'] ??
  fileURLToPath(new URL('../../../shared/corpora', import.meta.url));

interface Recorded {
  readonly file: string;
  readonly bytes: Buffer;
}

function filesUnder(folder: string, suffix: string): string[] {
  const directory = path.join(root, folder);
  return existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith(suffix))
        .map((name) => path.join(folder, name))
    : [];
}

/** Streams as they were sent, and such as hold one event's JSON a line. */
const recorded: Recorded[] = [
  ...filesUnder('pydantic-ai-sse/sse', '.sse.txt'),
  ...filesUnder('openai-node-sse', '.sse.txt'),
].map((file) => ({ file, bytes: readFileSync(path.join(root, file)) }));
for (const file of filesUnder('vercel-ai-chunks', '.chunks.txt')) {
  const lines = readFileSync(path.join(root, file), 'utf8').split('\n').filter(Boolean);
  const events = lines.map((line) => (/^(?:data|event):/.test(line) ? line : `data: ${line}`));
  recorded.push({ file, bytes: Buffer.from(`${events.join('\n\n')}\n\n`) });
}

function formatOf(bytes: Buffer): WireFormat | null {
  const text = bytes.toString();
  if (/"type":\s*"response\./.test(text)) {
    return 'openai-responses';
  }
  if (/"type":\s*"(?:message_start|content_block_delta)"/.test(text)) {
    return 'anthropic-messages';
  }
  return /"choices":\s*\[/.test(text) ? 'openai-chat' : null;
}

/** What bytes and objects must agree about; an object's text may be written anew. */
function essence(calls: readonly ToolCall[]): unknown[] {
  return calls.map(({ id, text, rawText, outcome, ...call }) => ({
    ...call,
    id: id.startsWith('call_') || id.startsWith('toolu_') ? null : id,
    value: outcome?.status === 'accepted' ? outcome.value : outcome?.message,
    length: outcome === null ? 0 : rawText.length - text.length,
  }));
}

/** Made to be broken: a second message is spliced into the first. */
const broken = /spliced/;

describe.skipIf(recorded.length === 0)(`recorded streams (${recorded.length})`, () => {
  const known = recorded.flatMap(({ file, bytes }) => {
    const format = formatOf(bytes);
    return format === null ? [] : [{ file, bytes, format }];
  });

  test('most are in a format that is read', () => {
    expect(known.length).toBeGreaterThan(120);
  });

  test.each(known)('$file', ({ file, bytes, format }) => {
    const whole = readBytes(format, [bytes]);
    const objects = readEvents(format, objectsOf(bytes));
    expect(essence(objects.calls)).toEqual(essence(whole.calls));
    for (const seed of [1, 2]) {
      const cut = readBytes(format, inRandomChunks(bytes, seed));
      expect(essence(cut.calls)).toEqual(essence(whole.calls));
    }
    for (const call of whole.calls) {
      if (call.finished && call.outcome !== null && !broken.test(file)) {
        expect(call.outcome.status).toBe('accepted');
      }
      expect(call.finished || broken.test(file) || call.kind !== 'function').toBe(true);
    }
  });

  test('there are calls in them', () => {
    const calls = known.flatMap(({ bytes, format }) => readBytes(format, [bytes]).calls);
    expect(calls.length).toBeGreaterThan(60);
    expect(calls.filter(({ kind }) => kind === 'function').length).toBeGreaterThan(50);
  });
});

test.runIf(recorded.length === 0)(`skipped: there are no recorded streams at ${root}`, () => {});
