import type { Problem } from '../api/errors';
import { toWords } from './place';

/** A problem and its fix as one text: of phrases without a full stop, `is required; such as 2026-01-31`; of sentences both. */
export function toSentence({ message, hint }: Pick<Problem, 'message' | 'hint'>): string {
  if (hint === null) return toWords(message);
  return toWords(/[.!?]$/.test(message) ? `${message} ${hint}` : `${message}; ${hint}`);
}

/** The text with a full stop, so that another sentence can follow it; the authority's own texts often end without. */
export function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
