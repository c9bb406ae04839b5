/**
 * JSON pointers: RFC 6901.
 */

/** The pointer to a member of what `path` points to. */
export function pointerTo(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * What a pointer leads to that stands in a URI's fragment, as it does in a `$ref`; `undefined` where
 * it leads nowhere.
 */
export function valueAt(root: unknown, fragment: string): unknown {
  let value = root;
  for (const part of fragment.split('/').slice(1)) {
    const key = keyOf(part);
    if (key === null || typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      return undefined;
    }
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** The key in a part of a fragment; `null` where that is no encoding of one. */
export function keyOf(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
}
