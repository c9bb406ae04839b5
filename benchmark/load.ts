// Loads what is installed for the benchmark alone, so that nothing else needs it, types included.

/** Imports a package by a name that the compiler does not follow; `T` is what is used of it. */
// The type is the caller's claim, as it is for every import without types.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export async function load<T>(specifier: string): Promise<T> {
  return (await import(specifier)) as T;
}
