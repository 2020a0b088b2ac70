import { parse, serialize } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '../../config/configuration.js';
import { type Origin, SESSION_SECONDS } from '../../accounts/sessions.service.js';
import { DEVICE_SECONDS } from '../../accounts/devices.js';

// The browser accepts a cookie with this prefix from this host alone and over TLS only, so no other host of the domain can
// plant one.
const SECURE_PREFIX = '__Host-';
const SESSION = 'einvoice_session';
const DEVICE = 'einvoice_device';
const TOKEN_SEPARATOR = '~';

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
  return cookies[SECURE_PREFIX + SESSION] || (!isSecure && cookies[SESSION]) || null;
}

/** Hands the secret to the browser, which shows it to no script and sends it to no other site's page. */
export function setSessionCookie(reply: FastifyReply, secret: string, settings: CookieSettings): void {
  setCookie(reply, { name: SESSION, value: secret, maxAge: SESSION_SECONDS }, settings);
}

export function clearSessionCookie(reply: FastifyReply, settings: CookieSettings): void {
  setCookie(reply, { name: SESSION, value: '', maxAge: 0 }, settings);
}

/** The tokens that a browser was given when it signed in. */
function readDeviceTokens({ headers }: FastifyRequest): string[] {
  const cookies = parse(headers.cookie ?? '');
  return (cookies[SECURE_PREFIX + DEVICE] ?? cookies[DEVICE] ?? '').split(TOKEN_SEPARATOR);
}

export function setDeviceCookie(reply: FastifyReply, tokens: readonly string[], settings: CookieSettings): void {
  setCookie(reply, { name: DEVICE, value: tokens.join(TOKEN_SEPARATOR), maxAge: DEVICE_SECONDS }, settings);
}

function setCookie(
  reply: FastifyReply,
  { name, value, maxAge }: { name: string; value: string; maxAge: number },
  { isSecure }: CookieSettings,
): void {
  const attributes = { httpOnly: true, sameSite: 'strict', secure: isSecure, path: '/', maxAge } as const;
  void reply.header('Set-Cookie', serialize(isSecure ? SECURE_PREFIX + name : name, value, attributes));
}

/** Where a request came from. */
export function readOrigin(request: FastifyRequest): Origin {
  const { ip, headers } = request;
  return { ip, userAgent: headers['user-agent'] ?? '', deviceTokens: readDeviceTokens(request) };
}
