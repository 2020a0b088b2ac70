import { ERROR_CODES } from './error-codes.js';

interface ErrorFacts {
  readonly message: string;
  readonly code: string;
  readonly requestId: string;
}

/**
 * The body of every error response (docs/rules.md#error-responses). `helpUrl` is the path of the code's page on this
 * host, whose name behind a proxy only the caller knows; the dashboard's own codes have no page.
 */
export function buildErrorBody({ message, code, requestId }: ErrorFacts, details: object = {}): object {
  const help = Object.hasOwn(ERROR_CODES, code) ? { helpUrl: buildHelpUrl(code) } : {};
  return { message, code, requestId, ...help, ...details };
}

export function buildHelpUrl(code: string): string {
  return `/docs/errors/${code}`;
}
