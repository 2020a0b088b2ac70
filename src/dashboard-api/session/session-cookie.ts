import { parse, serialize } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '../../config/configuration.js';
import { SESSION_SECONDS } from '../../accounts/sessions.service.js';

// The browser takes the first from this host alone and over TLS only, so that no other host of the domain can plant one.
const SECURE_NAME = '__Host-einvoice_session';
const PLAIN_NAME = 'einvoice_session';

export interface CookieSettings {
  /** Whether the browser came over TLS. */
  readonly isSecure: boolean;
}

/**
 * Production runs behind TLS, also where no proxy is trusted to say so; on a developer's machine a Secure cookie would
 * never come back.
 */
export function chooseCookieSettings({ protocol }: FastifyRequest, { isProduction }: Configuration): CookieSettings {
  return { isSecure: isProduction || protocol === 'https' };
}

/** The secret in the request's session cookie; null without one. Under TLS the plain name may be somebody else's. */
export function readSessionSecret(request: FastifyRequest, { isSecure }: CookieSettings): string | null {
  const cookies = parse(request.headers.cookie ?? '');
  return cookies[SECURE_NAME] || (!isSecure && cookies[PLAIN_NAME]) || null;
}

/** Hands the secret to the browser, which shows it to no script and sends it to no other site's page. */
export function setSessionCookie(reply: FastifyReply, secret: string, { isSecure }: CookieSettings): void {
  const name = isSecure ? SECURE_NAME : PLAIN_NAME;
  void reply.header('Set-Cookie', formatCookie(name, secret, { maxAge: SESSION_SECONDS, isSecure }));
}

export function clearSessionCookie(reply: FastifyReply, { isSecure }: CookieSettings): void {
  const name = isSecure ? SECURE_NAME : PLAIN_NAME;
  void reply.header('Set-Cookie', formatCookie(name, '', { maxAge: 0, isSecure }));
}

function formatCookie(name: string, value: string, { maxAge, isSecure }: CookieSettings & { maxAge: number }): string {
  return serialize(name, value, { httpOnly: true, sameSite: 'strict', secure: isSecure, path: '/', maxAge });
}
