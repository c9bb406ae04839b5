import type { Transformer } from 'node:stream/web';
import { types } from 'node:util';

import { readFunction, readOptions, typeOf } from '../input.js';
import { optionNames } from './options.js';
import { createToolCallStream } from './stream.js';
import type { ToolCallEvent, WireFormat, WireOptions } from './types.js';

/** What can be chosen about a tap. */
export interface TapOptions extends WireOptions {
  /** Called with each event, in order, after the bytes that brought it have been passed on. */
  onEvent: (event: ToolCallEvent) => void;
  /** Called with what `onEvent` throws, or its promise is rejected with; that never reaches the stream. */
  onError?: ((error: unknown) => void) | undefined;
}

/**
 * Reads the options of a tap.
 *
 * @throws TypeError
 */
export function readTapOptions(given: TapOptions): TapOptions {
  const options = readOptions(given, [...optionNames, 'onEvent', 'onError']);
  const { onEvent, onError }: Partial<TapOptions> = options;
  if (typeof onEvent !== 'function') {
    throw new TypeError(`options.onEvent must be a function (got ${typeOf(onEvent)})`);
  }
  readFunction(onError, 'options.onError');
  return options;
}

/**
 * Calls somebody else's code. What it throws, or what a promise that it returns is rejected with,
 * goes to `onError` and no further.
 */
export function guarded(onError: TapOptions['onError'], call: () => unknown): void {
  const fail = (error: unknown): void => {
    if (onError !== undefined) {
      // Where that fails too, nobody is left to tell.
      guarded(undefined, () => onError(error));
    }
  };
  try {
    const answer = call();
    if (types.isPromise(answer)) {
      answer.catch(fail);
    }
  } catch (error) {
    fail(error);
  }
}

/**
 * A stream that passes every byte on, unchanged and at once, and tells what tool calls went by.
 * Back-pressure and cancellation pass through it; a consumer who cancels, or a source that breaks,
 * ends the open calls as interrupted.
 *
 * @throws TypeError | RangeError for a wrong format or option
 * @example
 * ```ts
 * import { tapToolCalls } from 'argspan/wire';
 *
 * const response = new Response('data: {"error": {"message": "out of service"}}\n\n');
 * const messages = [];
 * const onEvent = (event) => messages.push(event.error?.message);
 * const tapped = response.body.pipeThrough(tapToolCalls('openai-chat', { onEvent }));
 * (await new Response(tapped).text()).length; // 48
 * messages; // ['out of service']
 * ```
 */
export function tapToolCalls(
  format: WireFormat | 'auto',
  options: TapOptions,
): TransformStream<Uint8Array, Uint8Array> {
  const { onEvent, onError, ...wireOptions } = readTapOptions(options);
  const stream = createToolCallStream(format, wireOptions);

  const tell = (read: () => readonly ToolCallEvent[]): void => {
    guarded(onError, () => {
      for (const event of read()) {
        guarded(onError, () => onEvent(event));
      }
    });
  };
  const end = (): void => tell(() => stream.flush());

  const transformer: Transformer<Uint8Array, Uint8Array> & { cancel: () => void } = {
    transform(chunk, controller) {
      controller.enqueue(chunk);
      tell(() => stream.feed(chunk));
    },
    flush: end,
    cancel: end,
  };
  return new TransformStream(transformer);
}
