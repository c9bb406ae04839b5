/**
 * Returns the addon's exports as they are, loaded by the first call. `src/native.ts` gives them
 * their types, and is the only file that imports this.
 *
 * @throws an `Error` with `code: 'ARGSPAN_ADDON'` where no addon can be loaded
 */
declare function loadAddon(): unknown;
export = loadAddon;
