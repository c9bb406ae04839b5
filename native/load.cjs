'use strict';

// Loads the addon: a local build beside this file, else the package of this platform. Both
// the ESM and the CommonJS copy of argspan come here, so an environment loads it once.
//
// It exports a function, because a CommonJS file that throws while it is imported from ESM
// also ends the process on Node 20, although the importer catches the error
// (https://github.com/nodejs/node/issues/51603). Thrown by a call it can be caught.
//
// Whatever goes wrong ends as one error with `code: 'ARGSPAN_ADDON'` that says what this
// platform is, which paths were tried, and why each failed; `cause` is the last real failure,
// untouched. Nothing is installed, downloaded or spawned.

const { closeSync, openSync, readSync } = require('node:fs');
const path = require('node:path');

const { name, version } = require('../package.json');

/** The C library of this Linux: what its Node binary asks to be loaded by. */
function libcOf() {
  const head = Buffer.alloc(4096);
  try {
    const file = openSync(process.execPath, 'r');
    try {
      readSync(file, head, 0, head.length, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // Not readable: the report below knows too, it only takes longer.
  }
  if (head.includes('/ld-musl-')) {
    return 'musl';
  }
  if (head.includes('/ld-linux')) {
    return 'gnu';
  }
  const { report } = process;
  // Otherwise the report looks up the name of every peer that a socket is open to.
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  try {
    return report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'gnu';
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}

/** What this platform is called in the names of files and packages. */
function platformName() {
  const { arch, platform } = process;
  if (platform === 'linux') {
    return `linux-${arch}-${libcOf()}`;
  }
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`;
}

/** True where `request` itself is missing, false where something in it failed. */
function isMissing(error, request) {
  return error?.code === 'MODULE_NOT_FOUND' && String(error.message).includes(`'${request}'`);
}

/** The error that is thrown where no addon can be loaded. */
function addonError(platform, tried, cause) {
  const failed = tried.some(({ missing }) => !missing);
  const hint = failed
    ? `Reinstall ${name}; where that does not help, the reason above does.`
    : `Install optional dependencies too (no --omit=optional), on the platform that runs them. ` +
      `Without a package for this platform, build from source: see README.md.`;
  const lines = tried.map(({ request, reason }) => `  ${request}: ${reason}`);
  const error = new Error(
    `${name} has no working addon for ${platform} (Node ${process.version}). Tried:\n` +
      `${lines.join('\n')}\n${hint}`,
    { cause },
  );
  error.code = 'ARGSPAN_ADDON';
  return error;
}

function load() {
  const platform = platformName();
  const packageName = `${name}-${platform}`;
  const tried = [];
  let cause;
  for (const request of [path.join(__dirname, `${name}.${platform}.node`), packageName]) {
    try {
      if (request === packageName) {
        requireSameVersion(packageName);
      }
      return require(request);
    } catch (error) {
      const missing = isMissing(error, request) || isMissing(error, `${request}/package.json`);
      const reason = missing ? 'not found' : String(error?.message ?? error);
      tried.push({ request, missing, reason });
      cause = missing && cause !== undefined ? cause : error;
      if (!missing) {
        break;
      }
    }
  }
  throw addonError(platform, tried, cause);
}

/** An addon of another version would be called with what it does not understand. */
function requireSameVersion(packageName) {
  const found = require(`${packageName}/package.json`).version;
  if (found !== version) {
    throw new Error(`it is version ${found}, and ${name} is ${version}`);
  }
}

let addon;

module.exports = function loadAddon() {
  addon ??= load();
  return addon;
};
