import { ApiKeyError } from '../errors/api-error.js';
import { hasMoreThanKey } from './api-key-text.js';

/** The headers that may carry a key, as Node lists them: every occurrence apart. */
export interface KeyHeaders {
  readonly 'x-api-key'?: readonly string[];
  readonly authorization?: readonly string[];
}

/**
 * The key text of a request (interface, Authentication): `X-API-Key` or `Authorization: Bearer`, or both with one key.
 * With an `X-API-Key`, credentials of any other scheme are for a gateway on the way and are not looked at.
 * @throws ApiKeyError if there is none, two that differ, or one with a scheme in X-API-Key
 */
export function readKeyText(headers: KeyHeaders): string {
  const texts = new Set((headers['x-api-key'] ?? []).map((value) => value.trim()));
  texts.delete('');
  for (const text of texts) if (hasScheme(text)) throw new ApiKeyError('api_key_invalid', SCHEME_IN_OWN_HEADER);
  const hasOwnHeader = texts.size > 0;
  for (const value of headers.authorization ?? []) {
    if (!hasOwnHeader || BEARER_SCHEME.test(value)) texts.add(readBearerToken(value));
  }
  texts.delete('');
  const [text, ...others] = texts;
  if (text === undefined) {
    throw new ApiKeyError('api_key_missing', 'An API key is required, in X-API-Key or in Authorization: Bearer');
  }
  if (others.length > 0) {
    throw new ApiKeyError('api_key_invalid', 'X-API-Key and Authorization carry different API keys; send one');
  }
  return text;
}

const SCHEME_IN_OWN_HEADER =
  'X-API-Key must be the API key alone; remove "Bearer", "ApiKey", quotation marks and everything else around it, or send ' +
  'it as Authorization: Bearer';
const BEARER_SCHEME = /^\s*Bearer(?:\s|$)/i;

function hasScheme(text: string): boolean {
  return BEARER_SCHEME.test(text) || hasMoreThanKey(text);
}

function readBearerToken(header: string): string {
  const [, token] = /^Bearer +(\S+) *$/i.exec(header.trim()) ?? [];
  if ((token === undefined && header.trim() !== '') || hasMoreThanKey(token ?? '')) {
    const message =
      'The Authorization header must be the word Bearer, a space and the API key, without quotation marks';
    throw new ApiKeyError('api_key_invalid', message);
  }
  return token ?? '';
}
