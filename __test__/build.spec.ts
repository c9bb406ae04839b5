// What the build script says where a tool is missing, and numbers that stand in two files.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

describe.skipIf(process.platform === 'win32')('building without the tools', () => {
  let bin: string;

  beforeEach(() => {
    bin = path.join(mkdtempSync(path.join(tmpdir(), 'argspan-build-')), 'bin');
    mkdirSync(bin);
    symlinkSync('/bin/sh', path.join(bin, 'sh'));
  });

  afterEach(() => {
    rmSync(path.dirname(bin), { recursive: true, force: true });
  });

  function command(name: string, script: string): void {
    writeFileSync(path.join(bin, name), `#!${bin}/sh\n${script}\n`, { mode: 0o755 });
  }

  async function build(): Promise<{ code: number; output: string }> {
    const script = path.join(root, 'scripts', 'build.mjs');
    return new Promise((resolve) => {
      const options = { env: { PATH: bin }, timeout: 30_000 };
      execFile(process.execPath, [script, '--native'], options, (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
      });
    });
  }

  const versions = `
    case "$*" in
      --version) echo "cargo 1.88.0 (0123456 2025-06-26)" ;;
      -vV) echo "host: x86_64-unknown-linux-gnu" ;;`;

  it('names cargo, the version, and who needs none', async () => {
    const { code, output } = await build();
    expect(code).toBe(1);
    expect(output).toMatch(/^`cargo` was not found in PATH: [^\n]*Rust 1\.88 or newer[^\n]*\.\n$/);
    expect(output).toContain('`npm install argspan` brings a prebuilt addon');
  });

  it('names a cargo that is too old', async () => {
    command('cargo', 'echo "cargo 1.87.0 (0123456 2025-05-15)"');
    const { code, output } = await build();
    expect(code).toBe(1);
    expect(output).toMatch(/^`cargo` is 1\.87\.0, which is too old: [^\n]*Rust 1\.88[^\n]*\.\n$/);
  });

  it('names a cargo that does not run', async () => {
    command('cargo', 'echo "error: no default toolchain is configured" >&2; exit 1');
    const { code, output } = await build();
    expect(code).toBe(1);
    expect(output).toMatch(/^`cargo --version` fails \(error: no default[^\n]*\.\n$/);
  });

  it('names a missing linker instead of what cargo says about it', async () => {
    command('rustc', `${versions} esac`);
    command(
      'cargo',
      `${versions}
      *)
        echo "   Compiling libc v0.2.0" >&2
        echo 'error: linker \`cc\` not found' >&2
        echo "  = note: No such file or directory (os error 2)" >&2
        exit 101 ;;
      esac`,
    );
    const { code, output } = await build();
    expect(code).toBe(1);
    const [progress, sentence, ...rest] = output.split('\n');
    expect(progress).toContain('Compiling libc');
    expect(sentence).toMatch(/^The C linker `cc` was not found: .*a C linker .*\.$/);
    expect(rest).toEqual(['']);
  });

  it('passes on what cargo says about everything else', async () => {
    command('rustc', `${versions} esac`);
    command('cargo', `${versions} *) echo 'error[E0308]: mismatched types' >&2; exit 101 ;; esac`);
    const { code, output } = await build();
    expect(code).toBe(1);
    expect(output).toMatch(/^error\[E0308\]: mismatched types\ncargo could not build[^\n]*\n$/);
  });
});

describe('numbers that stand in two files', () => {
  const manifest = JSON.parse(read('package.json')) as {
    version: string;
    napi: { targets: string[] };
  };
  const workspace = read('native/Cargo.toml');

  it('are the same version in package.json and in Cargo.toml', () => {
    expect(/^version = "(.+)"$/m.exec(workspace)?.[1]).toBe(manifest.version);
  });

  it('are the same oldest Rust in Cargo.toml, in the build script and in its workflow', () => {
    const floor = /^rust-version = "(.+)"$/m.exec(workspace)?.[1];
    expect(/^const rustMin = '(.+)';$/m.exec(read('scripts/build.mjs'))?.[1]).toBe(floor);
    expect(read('.github/workflows/ci.yml')).toContain(`rustup default ${floor}\n`);
  });

  it('are the same targets in package.json and in the release workflow', () => {
    const release = read('.github/workflows/release.yml');
    const targets = [...release.matchAll(/- target: (\S+)/g)].map((match) => match[1]);
    expect(targets).toEqual(manifest.napi.targets);
  });
});
