/**
 * `argspan demo --wire`: servers on the loopback interface stream responses to the official
 * clients, through a watched `fetch`. What each client made of the calls stands beside what
 * argspan says.
 */
import { createServer, type Server } from 'node:http';

import { watchFetch } from '../wire/index.js';
import type { ToolCall } from '../wire/index.js';
import { jsonLine, visible, visibleLines, wrap, type Style } from './terminal.js';
import { askClient, type ClientResult } from './wire-clients.js';
import { scenes, type Scene } from './wire-scenes.js';

/** What became of one scene. */
interface Played {
  readonly scene: Scene;
  readonly result: ClientResult;
  readonly calls: readonly ToolCall[];
}

/** The demo's pieces of output, one a scene. */
export async function* wirePieces(json: boolean, style: Style): AsyncGenerator<string> {
  if (!json) {
    yield 'Responses that are streamed by servers on 127.0.0.1, read by the official clients and by argspan.\n';
  }
  for (const scene of scenes) {
    const played = await play(scene);
    yield json ? jsonOf(played) : textOf(played, style);
  }
}

/** Serves one scene, and lets a client ask for it. */
async function play(scene: Scene): Promise<Played> {
  const calls: ToolCall[] = [];
  const server = await serve(scene);
  try {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const result = await askClient(scene.format, {
      baseURL: `http://127.0.0.1:${port}`,
      fetch: watchFetch(fetch, {
        format: 'auto',
        onEvent(event) {
          if (event.type === 'finish') {
            calls.push(event.call);
          }
        },
      }),
    });
    return { scene, result, calls };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function serve({ events }: Scene): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) {
      response.write(event);
    }
    response.end();
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function jsonOf({ scene, result, calls }: Played): string {
  const { title, format } = scene;
  return jsonLine({ type: 'scene', title, format, client: result, calls });
}

function textOf({ scene, result, calls }: Played, style: Style): string {
  return [
    '',
    style.paint('bold', scene.title),
    ...clientRows(result, style),
    ...calls.flatMap((call) => callRows(call, style)),
    '',
  ].join('\n');
}

const labelColumns = 20;

function rows(label: string, text: string, style: Style): string[] {
  const room = style.columns - labelColumns - 2;
  return wrap(text, room, 4).map(
    (row, place) => `  ${(place === 0 ? label : '').padEnd(labelColumns)}${row}`,
  );
}

function clientRows(result: ClientResult, style: Style): string[] {
  switch (result.kind) {
    case 'calls':
      return result.calls.flatMap(({ name, arguments: text }) =>
        rows(result.client, visible(`${name}(${text})`), style),
      );
    case 'threw':
      return rows(result.client, visible(`threw: ${result.message}`), style);
    case 'absent':
      return rows(
        result.client,
        'is not installed here, so there is nothing to compare with',
        style,
      );
    default:
      return result satisfies never;
  }
}

function callRows({ name, outcome }: ToolCall, style: Style): string[] {
  if (outcome === null) {
    return [];
  }
  if (outcome.status === 'accepted') {
    const text = `accepted (${outcome.repair}): ${name}(${outcome.text})`;
    return rows('argspan', visible(text), style).map((row) => style.paint('green', row));
  }
  const head = `reported (${outcome.kind}), not run: ${name}`;
  return [
    ...rows('argspan', visible(head), style).map((row) => style.paint('red', row)),
    ...visibleLines(outcome.message)
      .split('\n')
      .flatMap((line) => rows('', line, style)),
  ];
}
