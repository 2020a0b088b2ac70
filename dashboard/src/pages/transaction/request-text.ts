import type { Problem } from '../../api/errors';

/**
 * The line of a JSON text, written with an indent, in which what a JSON Pointer names begins; counted from 1. What is
 * not there is found in what would hold it. Null when the text is no JSON.
 */
export function findLine(pointer: string, text: string): number | null {
  const value = parsed(text);
  if (value === undefined) return null;
  // Written again the text has one member a line, so that lines can be counted; the caller's own layout is kept only as
  // long as it is the same.
  let line = 1;
  let inner: unknown = value;
  for (const name of pointer.split('/').slice(1)) {
    const members = listMembers(inner);
    const position = members.findIndex(([member]) => member === name.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (position === -1) return line;
    line += 1 + members.slice(0, position).reduce((sum, [, member]) => sum + countLines(member), 0);
    inner = members[position][1];
  }
  return line;
}

/** The text laid out as {@link findLine} counts it; as it is when it is no JSON. */
export function laidOut(text: string): string {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

/** What JSON.parse says of a text; null when it is JSON. */
export function syntaxProblem(text: string): Problem | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { pointer: '', message: `This is not JSON: ${message}`, hint: null };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function listMembers(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function countLines(value: unknown): number {
  return JSON.stringify(value, null, 2).split('\n').length;
}
