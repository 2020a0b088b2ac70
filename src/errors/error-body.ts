import { ERROR_CODES } from './error-codes.js';

interface ErrorFacts {
  readonly message: string;
  readonly code: string;
  readonly requestId: string;
}

/**
 * Builds the body of an error response (docs/rules.md#error-responses). `helpUrl` is a path because the public host
 * name is unknown behind a proxy. Codes of the dashboard have no page.
 */
export function buildErrorBody({ message, code, requestId }: ErrorFacts, details: object = {}): object {
  const help = Object.hasOwn(ERROR_CODES, code) ? { helpUrl: buildHelpUrl(code) } : {};
  return { message, code, requestId, ...help, ...details };
}

export function buildHelpUrl(code: string): string {
  return `/docs/errors/${code}`;
}
