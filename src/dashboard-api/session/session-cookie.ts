import { parse, serialize } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_SECONDS } from '../../accounts/sessions.service.js';

const NAME = 'einvoice_session';

/** The secret in the request's session cookie; null without one. */
export function readSessionSecret(request: FastifyRequest): string | null {
  return parse(request.headers.cookie ?? '')[NAME] || null;
}

/** Hands the secret to the browser, which shows it to no script and sends it to no other site's page. */
export function setSessionCookie(reply: FastifyReply, secret: string, { isSecure }: { isSecure: boolean }): void {
  void reply.header('Set-Cookie', cookie(secret, { maxAge: SESSION_SECONDS, isSecure }));
}

export function clearSessionCookie(reply: FastifyReply, { isSecure }: { isSecure: boolean }): void {
  void reply.header('Set-Cookie', cookie('', { maxAge: 0, isSecure }));
}

function cookie(value: string, { maxAge, isSecure }: { maxAge: number; isSecure: boolean }): string {
  return serialize(NAME, value, { httpOnly: true, sameSite: 'strict', secure: isSecure, path: '/', maxAge });
}
