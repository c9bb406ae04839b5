// Writes what a run has left behind into README.md and plot.svg.
//
//   npm run render [-- RESULTS]

import { readFileSync, writeFileSync } from 'node:fs';

import { replaceResults } from './markdown.js';
import { plot } from './plot.js';
import type { Results } from './results.js';

const readme = new URL('README.md', import.meta.url);

const from = process.argv[2] ?? new URL('results.json', import.meta.url);
const results = JSON.parse(readFileSync(from, 'utf8')) as Results;
writeFileSync(readme, replaceResults(readFileSync(readme, 'utf8'), results));
writeFileSync(new URL('plot.svg', import.meta.url), plot(results));
