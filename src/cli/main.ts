#!/usr/bin/env node
/**
 * The entry of the command line.
 *
 * The status goes into `process.exitCode`, never through `process.exit`: output
 * that still waits in a pipe would be lost.
 */
import process from 'node:process';

import { exitStatus } from './command.js';

/** For a failure that is nobody's misuse; 1 would read as "reported". */
const exitStatusBug = 70;

async function main(): Promise<void> {
  // Not imported above: where the addon is missing, that is an error to be told in
  // its own words, whether it comes from the import or from the first use.
  const { runProgram } = await import('./program.js');
  process.exitCode = await runProgram(process.argv.slice(2), process);
}

main().catch((error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === 'ARGSPAN_ADDON') {
    console.error(`argspan: ${error.message}`);
    process.exitCode = exitStatus.misuse;
    return;
  }
  console.error(error);
  process.exitCode = exitStatusBug;
});
