/**
 * What a command reads from and writes to, and how a command fails.
 *
 * Commands never touch `process`: they get their streams, so a test gives them
 * others and reads back exactly what a user would have seen.
 */

/** A stream to write to, as `process.stdout` is one. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** A stream to read from, as `process.stdin` is one. */
export interface InputStream extends AsyncIterable<string | Uint8Array> {
  readonly isTTY?: boolean | undefined;
  /** The descriptor, where the stream stands for one. */
  readonly fd?: number | undefined;
}

/** The surroundings of a command. `process` itself is one. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The command cannot be carried out: a file that cannot be read, a full disk. It is
 * told in one line, without a stack, because nothing in this program is at fault.
 */
export class Misuse extends Error {
  override readonly name: string = 'Misuse';
}

/** The command line itself is wrong, so that the command's help is worth a look. */
export class UsageError extends Misuse {
  override readonly name = 'UsageError';
}

/** Writes to one stream and survives a reader that goes away. */
export interface Writer {
  /**
   * Resolves once the text was taken, so that no more than one piece of output
   * waits in memory. `false` means that nobody reads any more: `argspan demo |
   * head` is an ordinary thing to do, so a closed pipe ends the writing and is no
   * error.
   */
  write(text: string): Promise<boolean>;
}

const readerGone = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Makes a writer. Any failure but a closed pipe (a full disk) is a `Misuse`. */
export function createWriter(stream: OutputStream): Writer {
  let open = true;
  // A failed write also raises 'error' on the stream, which kills the process where
  // nobody listens. The write's own callback is where it is dealt with.
  stream.on('error', () => {});

  return {
    write(text) {
      if (!open) {
        return Promise.resolve(false);
      }
      return new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error === null || error === undefined) {
            resolve(true);
            return;
          }
          open = false;
          if (readerGone.has(codeOf(error))) {
            resolve(false);
          } else {
            reject(new Misuse(`cannot write the output: ${systemReason(error)}`));
          }
        });
      });
    },
  };
}

/** What an error says, on one line. */
export function errorWords(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
}

/** Why the operating system refused, in words: `no such file or directory`. */
export function systemReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Node writes "ENOENT: no such file or directory, open 'x'"; the file stands
  // in our own sentence already.
  const words = /^[A-Z0-9]+: (.*?)(?:, [a-z]+(?: '.*')?)?$/s.exec(message)?.[1];
  return words ?? message;
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) {
    return '';
  }
  return String(error.code);
}
