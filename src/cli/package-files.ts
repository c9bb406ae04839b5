/**
 * Finds what the package ships beside its code.
 *
 * `src/cli` and `dist/cli` are equally deep, so one relative address serves the
 * built program and a test that runs the source.
 */

/** The address of a file, relative to the package's root. */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
