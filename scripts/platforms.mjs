// The platforms that argspan has an addon for, read from `napi.targets` in package.json,
// and the names that go with each. native/load.cjs derives the same names at run time.

import { readFileSync } from 'node:fs';

const packageUrl = new URL('../package.json', import.meta.url);

/** The project's own package.json, parsed. */
export const packageJson = JSON.parse(readFileSync(packageUrl, 'utf8'));

const cpus = { aarch64: 'arm64', x86_64: 'x64' };
const systems = { apple: 'darwin', pc: 'win32', unknown: 'linux' };
const libcs = { gnu: 'glibc', musl: 'musl' };

/**
 * What a Rust target triple is called on the side of Node: `x86_64-unknown-linux-gnu` is
 * `linux-x64-gnu`, `aarch64-apple-darwin` is `darwin-arm64`.
 */
export function platformOf(target) {
  const [arch, vendor, system, env] = target.split('-');
  const cpu = cpus[arch];
  const os = systems[vendor];
  if (cpu === undefined || os === undefined || (os === 'linux' && system !== 'linux')) {
    return null;
  }
  const abi = os === 'darwin' ? '' : `-${env}`;
  const name = `${os}-${cpu}${abi}`;
  return {
    target,
    name,
    os,
    cpu,
    libc: os === 'linux' ? libcs[env] : undefined,
    addon: `argspan.${name}.node`,
    packageName: `${packageJson.name}-${name}`,
  };
}

/** All platforms that a release is built for. */
export const platforms = packageJson.napi.targets.map((target) => platformOf(target));
