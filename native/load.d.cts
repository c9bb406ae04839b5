/**
 * The addon's exports as they are. `src/native.ts` gives them their types, and is the only
 * file that imports this.
 */
declare const addon: unknown;
export = addon;
