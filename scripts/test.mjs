// Runs vitest and cargo's tests, and ends with the line `N passed, N failed` over both.
//
//   node scripts/test.mjs [--js | --rust] [vitest's arguments]
//
// The status is 1 when a test failed, and when a half ran no test at all.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const only = ['--js', '--rust'].includes(args[0]) ? args.shift() : null;

/** Resolves to the exit status; a command that cannot start is an error. */
function closed(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

async function vitest() {
  const directory = mkdtempSync(path.join(tmpdir(), 'argspan-test-'));
  const results = path.join(directory, 'vitest.json');
  const command = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  try {
    const child = spawn(process.execPath, [command, 'run', ...reporters, ...args], {
      cwd: root,
      stdio: 'inherit',
    });
    return countVitest(await closed(child), results);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function countVitest(code, results) {
  let report;
  try {
    report = JSON.parse(readFileSync(results, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, skipped: 0, code };
  }
  // A file that could not be loaded failed without a test that did.
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
    code,
  };
}

async function cargo() {
  // The addon's crate holds no logic and can only run inside Node, so vitest tests it.
  const command = ['test', '--manifest-path', path.join('native', 'Cargo.toml')];
  command.push('--workspace', '--exclude', 'argspan-node', '--no-fail-fast');
  if (process.env['CI']) {
    command.push('--locked');
  }
  const child = spawn('cargo', command, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const counts = { passed: 0, failed: 0, skipped: 0 };
  createInterface({ input: child.stdout }).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    const result = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
    if (result !== null) {
      counts.passed += Number(result[1]);
      counts.failed += Number(result[2]);
      counts.skipped += Number(result[3]);
    }
  });
  const code = await closed(child);
  return { ...counts, code };
}

const total = { passed: 0, failed: 0, skipped: 0 };
for (const [name, run] of Object.entries({ vitest, 'cargo test': cargo })) {
  if ((only === '--js' && run === cargo) || (only === '--rust' && run === vitest)) {
    continue;
  }
  const counts = await run();
  if (counts.code !== 0 && counts.failed === 0) {
    process.stderr.write(`${name} ended with status ${counts.code}.\n`);
    counts.failed = 1;
  } else if (counts.passed + counts.failed === 0) {
    process.stderr.write(`${name} ran no test.\n`);
    counts.failed = 1;
  }
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
if (total.skipped > 0) {
  process.stdout.write(`(${total.skipped} skipped)\n`);
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
