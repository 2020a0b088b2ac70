/** What a check of the deployment found. */
export interface Finding {
  readonly check: string;
  /** `problem`: something does not work; `advice`: it works, and may not for long. */
  readonly result: 'good' | 'advice' | 'problem';
  readonly found: string;
  /** What to do; null when nothing is. */
  readonly fix: string | null;
}

export function good(check: string, found: string): Finding {
  return { check, result: 'good', found, fix: null };
}

export function advice(check: string, found: string, fix: string): Finding {
  return { check, result: 'advice', found, fix };
}

export function problem(check: string, found: string, fix: string): Finding {
  return { check, result: 'problem', found, fix };
}

/** Of a check that could not be made. */
export function failure(check: string, error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  return problem(check, `a check ended with: ${message}`, 'Run doctor again; then read the log of PostgreSQL');
}
