import type { Problem } from '../api/errors';
import { describeField, toWords } from './field-names';

/** A problem and its fix as one text: of phrases without a full stop, `is required; such as 2026-01-31`; of sentences both. */
export function toSentence({ message, hint }: Pick<Problem, 'message' | 'hint'>): string {
  if (hint === null) return toWords(message);
  return toWords(/[.!?]$/.test(message) ? `${message} ${hint}` : `${message}; ${hint}`);
}

/** The text with a full stop, so that another sentence can follow it; the authority's own texts often end without. */
export function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/**
 * A warning of a submit as its two sentences, without full stops. The API begins the message with the path of the field,
 * which is called here as its errors call it.
 */
export function describeWarning({ pointer, message, hint }: Problem): Pick<Problem, 'message' | 'hint'> {
  const path = `${pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')} `;
  const said = message.startsWith(path) ? message.slice(path.length) : null;
  return {
    message: said === null ? withCapital(toWords(message)) : `${describeField(pointer)} ${toWords(said)}`,
    hint: hint === null ? null : withCapital(toWords(hint)),
  };
}

function withCapital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
