import { readOptions, typeOf } from '../input.js';
import { formatNumber, readWireOptions } from './options.js';
import { type TapOptions, guarded, readTapOptions, tapToolCalls } from './tap.js';
import type { WireFormat } from './types.js';

/** What can be chosen about a watched `fetch`. */
export interface WatchOptions extends TapOptions {
  format: WireFormat | 'auto';
}

/** Types of content that may hold calls; a missing type may too. */
const watched = /^(?:text\/event-stream|text\/plain|application\/(?:[\w.-]+\+)?json)\b/i;

/**
 * A `fetch` that tells what tool calls are in the responses that go through it: give it to an SDK
 * as its `fetch`. Event streams are told of as they arrive, JSON bodies at their end; anything else
 * is passed on as it came. Nothing is changed, delayed or held back; a body that is told of has
 * default readers and no BYOB ones.
 *
 * @throws TypeError | RangeError for a wrong format or option
 * @example
 * ```ts
 * import { watchFetch } from 'argspan/wire';
 *
 * const messages = [];
 * const onEvent = (event) => messages.push(event.error?.message);
 * const provider = async () => Response.json({ error: { message: 'out of service' } });
 * // new OpenAI({ fetch: watchFetch(fetch, …) }) does it for every request.
 * const watched = watchFetch(provider, { format: 'auto', onEvent });
 * await (await watched('https://provider.example/v1')).text();
 * messages; // ['out of service']
 * ```
 */
export function watchFetch(fetch: typeof globalThis.fetch, options: WatchOptions): typeof fetch {
  if (typeof fetch !== 'function') {
    throw new TypeError(`fetch must be a function (got ${typeOf(fetch)})`);
  }
  // Wrong options are refused here, not inside some later request.
  const { format } = readOptions(options, ['format']);
  formatNumber(format);
  const tapOptions = readTapOptions(options);
  readWireOptions(tapOptions);
  return async (input, init) => {
    const response = await fetch(input, init);
    try {
      const type = response.headers.get('content-type') ?? 'text/plain';
      if (response.body === null || response.bodyUsed || !watched.test(type)) {
        return response;
      }
      const tap = tapToolCalls(format, tapOptions);
      const tapped = withBody(response, tap.readable);
      // Last, because from here on the body belongs to the tap.
      response.body.pipeThrough(tap);
      return tapped;
    } catch (error) {
      // The response of a `fetch` that is none of the standard's: it cannot be watched.
      guarded(tapOptions.onError, () => {
        throw error;
      });
      return response;
    }
  };
}

/** The same response around another body. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected, type } = response;
  return alike(new Response(body, { status, statusText, headers }), { url, redirected, type });
}

/** A constructed response knows nothing of the request that it answers. */
function alike(response: Response, known: Pick<Response, 'url' | 'redirected' | 'type'>): Response {
  for (const [name, value] of Object.entries(known)) {
    Object.defineProperty(response, name, { value, configurable: true });
  }
  Object.defineProperty(response, 'clone', {
    value: () => alike(Response.prototype.clone.call(response), known),
    configurable: true,
    writable: true,
  });
  return response;
}
