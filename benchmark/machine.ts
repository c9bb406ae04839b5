// Where a run was made.

import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, type } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** How many wanted a core in the minute before; 0 on Windows, which does not say. */
  readonly load: number;
  readonly system: string;
  readonly node: string;
  readonly v8: string;
  /** `null` where Rust is not installed. */
  readonly rust: string | null;
}

function rustVersion(): string | null {
  try {
    return execFileSync('rustc', ['--version'], { encoding: 'utf8' }).split(' ')[1] ?? null;
  } catch {
    return null;
  }
}

export function readMachine(): Machine {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model.trim() ?? 'unknown',
    cores: cpus().length,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    system: `${type()} ${release().split('-')[0] ?? ''} ${process.arch}`,
    node: process.versions.node,
    v8: process.versions.v8,
    rust: rustVersion(),
  };
}
