import { parse, serialize } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '../../config/configuration.js';
import { type Origin, SESSION_SECONDS } from '../../accounts/sessions.service.js';
import { DEVICE_SECONDS } from '../../accounts/devices.js';

// Browsers accept a cookie with this prefix only over TLS and from its own host, so another host of the domain cannot
// set it.
const SECURE_PREFIX = '__Host-';
const SESSION = 'einvoice_session';
const DEVICE = 'einvoice_device';
const TOKEN_SEPARATOR = '~';

export interface CookieSettings {
  /** Whether the browser uses TLS. */
  readonly isSecure: boolean;
}

/**
 * In production, cookies are always secure, even if no trusted proxy reports TLS. On a developer's machine without TLS,
 * browsers drop secure cookies.
 */
export function chooseCookieSettings({ protocol }: FastifyRequest, { isProduction }: Configuration): CookieSettings {
  return { isSecure: isProduction || protocol === 'https' };
}

/**
 * Returns the secret of the session cookie. Under TLS, ignores cookies without the prefix, because another host of the
 * domain may have set them.
 */
export function readSessionSecret(request: FastifyRequest, { isSecure }: CookieSettings): string | null {
  const cookies = parse(request.headers.cookie ?? '');
  return cookies[SECURE_PREFIX + SESSION] || (!isSecure && cookies[SESSION]) || null;
}

export function setSessionCookie(reply: FastifyReply, secret: string, settings: CookieSettings): void {
  setCookie(reply, { name: SESSION, value: secret, maxAge: SESSION_SECONDS }, settings);
}

export function clearSessionCookie(reply: FastifyReply, settings: CookieSettings): void {
  setCookie(reply, { name: SESSION, value: '', maxAge: 0 }, settings);
}

/** Returns the device tokens that earlier sign-ins gave the browser. */
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

export function readOrigin(request: FastifyRequest): Origin {
  const { ip, headers } = request;
  return { ip, userAgent: headers['user-agent'] ?? '', deviceTokens: readDeviceTokens(request) };
}
