/** The commands, in the order in which `argspan --help` lists them. */
import { checkCommand } from './check.js';
import type { Command } from './command.js';
import { demoCommand } from './demo.js';
import { inspectCommand } from './inspect.js';
import { lintCommand } from './lint.js';

export const commands: readonly Command[] = [
  checkCommand,
  inspectCommand,
  lintCommand,
  demoCommand,
];
