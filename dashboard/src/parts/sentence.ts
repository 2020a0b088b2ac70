import type { Problem } from '../api/errors';
import { describeField, toWords } from './field-names';

/**
 * Joins a problem and its fix: phrases with a semicolon (`is required; such as 2026-01-31`), sentences with a space.
 */
export function toSentence({ message, hint }: Pick<Problem, 'message' | 'hint'>): string {
  if (hint === null) return toWords(message);
  return toWords(/[.!?]$/.test(message) ? `${message} ${hint}` : `${message}; ${hint}`);
}

/** Appends a full stop if the text has none, so that another sentence can follow. */
export function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/**
 * Splits a warning into two texts without full stops. The message starts with the path of the field, which is replaced
 * with its name.
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
