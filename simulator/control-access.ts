import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { HttpRequest } from './requests.js';
import { type SimulatorResponse, jsonResponse } from './responses.js';

const tokenLengthMin = 16;

/**
 * Validates the control token, which is mandatory if other machines can reach the simulator.
 * @throws Error that states the option and the fix
 */
export function assertControlled(host: string, token: string | undefined): void {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new Error('--control-token must consist of visible ASCII characters, without spaces.');
  }
  if (token !== undefined && token.length < tokenLengthMin) {
    throw new Error(`--control-token must have at least ${tokenLengthMin} characters, not ${token.length}.`);
  }
  if (token === undefined && !isLoopback(host)) {
    throw new Error(
      `--host ${host} can be reached from other machines: add --control-token with at least ${tokenLengthMin} characters, or ` +
        'set SIMULATOR_CONTROL_TOKEN.',
    );
  }
}

/**
 * Returns the error response for an unauthorized control call. Without a control token, only local callers are
 * authorized, and pages of other sites in a local browser are not.
 */
export function refuseCaller({ headers }: HttpRequest, token: string | undefined): SimulatorResponse | undefined {
  if (token !== undefined) return isSame(headers.authorization ?? '', `Bearer ${token}`) ? undefined : unauthorized();
  const { host = '', origin } = headers;
  if (!isLoopback(readHostname(host))) {
    return forbidden(`Without --control-token, control calls go to 127.0.0.1 or localhost, not to "${host}".`);
  }
  if (origin === undefined || [`http://${host}`, `https://${host}`].includes(origin)) return undefined;
  return forbidden(`Control calls from pages of other sites are refused; the origin of this one is "${origin}".`);
}

/** Accepts only literal loopback names, because a DNS name can resolve to any address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Strips the port and the IPv6 brackets from a Host header. */
function readHostname(host: string): string {
  return /^\[(?<address>[^\]]*)\]/.exec(host)?.groups?.address ?? host.replace(/:\d+$/, '').toLowerCase();
}

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function unauthorized(): SimulatorResponse {
  const error = 'Control calls need the header "Authorization: Bearer …" with the token of --control-token.';
  return jsonResponse(401, { error }, { 'WWW-Authenticate': 'Bearer' });
}

function forbidden(error: string): SimulatorResponse {
  return jsonResponse(403, { error });
}
