import type { IncomingMessage } from 'node:http';

/** Returns every occurrence of a header. Node's `headersDistinct` would allocate half a kilobyte per request. */
export function listOccurrences({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const found = rawHeaders[index];
    if (found.length === name.length && found.toLowerCase() === name) values.push(rawHeaders[index + 1]);
  }
  return values;
}
