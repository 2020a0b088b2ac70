import type { Problem } from '../api/errors';

/** A problem and its fix as one text. Both are phrases without a full stop: `is required`, `such as 2026-01-31`. */
export function toSentence({ message, hint }: Pick<Problem, 'message' | 'hint'>): string {
  return hint === null ? message : `${message}; ${hint}`;
}

/** The text with a full stop, so that another sentence can follow it; the authority's own texts often end without. */
export function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
