// A model provider on the loopback interface: answers each request with the next script, and
// keeps what it was asked.

import { type IncomingHttpHeaders, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one request is answered with. */
export interface Script {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent one by one, each in its own write. */
  readonly chunks: readonly (string | Uint8Array)[];
  /** Whether the connection breaks behind the last one. */
  readonly breaks?: boolean;
}

export interface Request {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Provider extends AsyncDisposable {
  readonly url: string;
  readonly requests: Request[];
}

/** Starts a provider on a free port. */
export async function provide(scripts: readonly Script[]): Promise<Provider> {
  const requests: Request[] = [];
  const waiting = [...scripts];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      requests.push({
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      });
      const script = waiting.shift() ?? { status: 500, chunks: ['{}'] };
      response.writeHead(script.status ?? 200, {
        'content-type': 'text/event-stream',
        ...script.headers,
      });
      void (async () => {
        for (const chunk of script.chunks) {
          response.write(chunk);
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        }
        if (script.breaks === true) {
          response.destroy();
        } else {
          response.end();
        }
      })();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
