/** Why `callWithRetry` gave up. */
export type RetryErrorKind = 'no-tool-called' | 'schema-mismatch' | 'invalid-json' | 'parse-error';

/** Thrown by `callWithRetry` after its last attempt, or where `execute` throws (`parse-error`). */
export class ToolCallRetryError extends Error {
  override readonly name = 'ToolCallRetryError';
  readonly kind: RetryErrorKind;
  /** How many attempts were made. */
  readonly attempts: number;

  /** The message is the last that the model was or would have been sent. */
  constructor(kind: RetryErrorKind, attempts: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.attempts = attempts;
  }
}
