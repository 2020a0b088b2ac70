import type { IncomingMessage } from 'node:http';

/**
 * Every occurrence of a header, apart; Node joins them, or drops all but one. Its `headersDistinct` would make arrays of all
 * headers, half a kilobyte that stays as long as the request does.
 * @param name in lower case
 */
export function listOccurrences({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const found = rawHeaders[index];
    if (found.length === name.length && found.toLowerCase() === name) values.push(rawHeaders[index + 1]);
  }
  return values;
}
