export interface Finding {
  readonly check: string;
  /** `problem`: a part does not work; `advice`: it works, but may soon fail. */
  readonly result: 'good' | 'advice' | 'problem';
  readonly found: string;
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

export function failure(check: string, error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  return problem(check, `a check failed: ${message}`, 'Run doctor again; then read the log of PostgreSQL');
}
