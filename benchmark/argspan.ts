// What is measured: the package as it is built and published, not its sources.

import type * as Gate from '../src/gate/index.js';
import type * as Argspan from '../src/index.js';

const built = new URL('../dist/index.js', import.meta.url).href;

export const { check, createScanner, parse, parseToolArguments } = (await import(
  built
)) as typeof Argspan;

const builtGate = new URL('../dist/gate/index.js', import.meta.url).href;

export const { createGate } = (await import(builtGate)) as typeof Gate;
