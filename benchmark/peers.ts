// The rivals in a stream of fragments, each behind the same small face and at its best setting.
//
// Their types are declared here, as far as they are used: checking the types of the benchmark must
// not need what is installed only to run it.

import { load } from './load.js';

/** Reads all that has come so far, again after each fragment. */
export interface Rereader {
  readonly name: string;
  readonly waits?: boolean;
  /** The value of what has come; only the last one is compared. */
  readonly read: (text: string) => unknown;
}

/** Reads each fragment once. */
export interface Follower {
  readonly name: string;
  readonly waits?: boolean;
  /** What it knows after each fragment. */
  readonly knows: string;
  /** Follows a whole stream; the value in the end. */
  readonly follow: (fragments: readonly string[]) => unknown;
}

type Parse = (text: string) => unknown;

export async function loadRereaders(): Promise<readonly Rereader[]> {
  const ai = await load<{ parsePartialJson(text: string): Promise<{ value: unknown }> }>('ai');
  const partialJson = await load<{ parse: Parse }>('partial-json');
  const openai = await load<{ partialParse: Parse }>(
    'openai/_vendor/partial-json-parser/parser.mjs',
  );
  const anthropic = await load<{ partialParse: Parse }>(
    '@anthropic-ai/sdk/_vendor/partial-json-parser/parser.mjs',
  );
  const bestEffort = await load<{ parse: Parse; disableErrorLogging(): void }>(
    'best-effort-json-parser',
  );
  bestEffort.disableErrorLogging();
  return [
    {
      name: 'AI SDK `parsePartialJson`',
      waits: true,
      read: async (text) => (await ai.parsePartialJson(text)).value,
    },
    { name: 'partial-json', read: partialJson.parse },
    { name: "openai SDK's `partialParse`", read: openai.partialParse },
    { name: "Anthropic SDK's `partialParse`", read: readable(anthropic.partialParse) },
    { name: 'best-effort-json-parser', read: bestEffort.parse },
  ];
}

/** Some prefixes have no value for some readers, who then throw. */
function readable(parse: Parse): Parse {
  return (text) => {
    try {
      return parse(text);
    } catch {
      return undefined;
    }
  };
}

interface PiStream {
  append(delta: string): unknown;
  finish(): { arguments: unknown };
}

interface Tracker {
  processDelta(delta: object): void;
  flush(): void;
}

interface StreamParser {
  onValue: (found: { value: unknown }) => void;
  write(text: string): void;
}

export async function loadFollowers(): Promise<readonly Follower[]> {
  const jsonriver = await load<{ parse(stream: AsyncIterable<string>): AsyncIterable<unknown> }>(
    'jsonriver',
  );
  const { JSONParser } = await load<{ JSONParser: new (options: object) => StreamParser }>(
    '@streamparser/json',
  );
  const pi = await load<{ ToolCallArgumentsStream: new () => PiStream }>(
    '@earendil-works/pi-ai/utils/streaming-json',
  );
  const utils = await load<{
    StreamingToolCallTracker: new (controller: object, options: object) => Tracker;
  }>('@ai-sdk/provider-utils');

  async function followWithJsonriver(fragments: readonly string[]): Promise<unknown> {
    let value: unknown;
    for await (const soFar of jsonriver.parse(yieldAll(fragments))) {
      value = soFar;
    }
    return value;
  }

  function followWithStreamParser(fragments: readonly string[]): unknown {
    let value: unknown;
    // Only the whole value is wanted: parts that are done need not be kept or told.
    const parser = new JSONParser({ paths: ['$'] });
    parser.onValue = (found) => {
      value = found.value;
    };
    for (const fragment of fragments) {
      parser.write(fragment);
    }
    return value;
  }

  function followWithPi(fragments: readonly string[]): unknown {
    const stream = new pi.ToolCallArgumentsStream();
    for (const fragment of fragments) {
      stream.append(fragment);
    }
    return stream.finish().arguments;
  }

  function followWithTracker(fragments: readonly string[]): unknown {
    let input = '';
    const controller = {
      enqueue: (part: { type: string; input?: string }): void => {
        if (part.type === 'tool-call') {
          input = part.input ?? '';
        }
      },
    };
    const tracker = new utils.StreamingToolCallTracker(controller, {});
    tracker.processDelta({ index: 0, id: 'call_1', function: { name: 'write', arguments: '' } });
    for (const fragment of fragments) {
      tracker.processDelta({ index: 0, function: { arguments: fragment } });
    }
    tracker.flush();
    return JSON.parse(input);
  }

  return [
    { name: 'jsonriver', waits: true, knows: 'a partial value', follow: followWithJsonriver },
    { name: '@streamparser/json', knows: 'grammar errors', follow: followWithStreamParser },
    { name: 'pi-ai `ToolCallArgumentsStream`', knows: 'a partial value', follow: followWithPi },
    {
      name: 'AI SDK `StreamingToolCallTracker`',
      knows: 'whether brackets are balanced',
      follow: followWithTracker,
    },
  ];
}

async function* yieldAll(fragments: readonly string[]): AsyncGenerator<string> {
  yield* fragments;
}
