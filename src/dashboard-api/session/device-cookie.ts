import { parse, serialize } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEVICE_SECONDS } from '../../accounts/devices.js';

const NAME = 'einvoice_device';
// Only this host can set a cookie of this name, and only over TLS: no other host of the domain plants one.
const SECURE_NAME = `__Host-${NAME}`;
const SEPARATOR = '~';

/** The tokens that a browser was given when it signed in. */
export function readDeviceTokens({ headers }: FastifyRequest): string[] {
  const cookies = parse(headers.cookie ?? '');
  return (cookies[SECURE_NAME] ?? cookies[NAME] ?? '').split(SEPARATOR);
}

/** Hands them to the browser, next to the session's cookie. */
export function setDeviceCookie(
  reply: FastifyReply,
  tokens: readonly string[],
  { isSecure }: { isSecure: boolean },
): void {
  const attributes = {
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure,
    path: '/',
    maxAge: DEVICE_SECONDS,
  } as const;
  const name = isSecure ? SECURE_NAME : NAME;
  void reply.header('Set-Cookie', serialize(name, tokens.join(SEPARATOR), attributes));
}
