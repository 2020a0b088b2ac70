/** One reason why a document was refused or found invalid, as the status answers it (D9). */
export interface DocumentError {
  /** Stable, snake_case. */
  readonly code: string;
  readonly message: string;
  /** JSON Pointer into the submitted body, where the place is known. */
  readonly pointer: string | null;
  readonly hint: string | null;
  readonly authorityCode: string | null;
  readonly authorityMessage: string | null;
}

/** A finding of the authority as it is answered: its own code and text pass through. */
export function documentErrorOf(finding: { code: string | null; message: string }): DocumentError {
  const { code, message } = finding;
  return {
    code: code === null ? 'authority_refused' : `authority_${code.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`,
    message,
    pointer: null,
    hint: null,
    authorityCode: code,
    authorityMessage: message,
  };
}
