import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { HttpRequest } from './requests.js';
import { type SimulatorResponse, jsonResponse } from './responses.js';

const tokenLengthMin = 16;

/**
 * Refuses to start where anybody on the network could move the simulator.
 * @throws Error that names the option and the fix
 */
export function assertControlled(host: string, token: string | undefined): void {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new Error('--control-token must consist of letters, digits and signs, without blanks.');
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
 * Why a control call is refused before it is read. Without a token, only this machine may make one, and no page of
 * another site by the browser of somebody who works on it.
 */
export function refuseCaller({ headers }: HttpRequest, token: string | undefined): SimulatorResponse | undefined {
  if (token !== undefined) return isSame(headers.authorization ?? '', `Bearer ${token}`) ? undefined : unauthorized();
  const { host = '', origin } = headers;
  if (!isLoopback(readHostname(host))) {
    return forbidden(`Without --control-token, control calls go to 127.0.0.1 or localhost, not to "${host}".`);
  }
  if (origin === undefined || [`http://${host}`, `https://${host}`].includes(origin)) return undefined;
  return forbidden(`Control calls from pages of another site are refused; this one is from "${origin}".`);
}

/** As far as a name says so by itself: others are looked up, and can lead anywhere. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Of a Host header: without port and brackets. */
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
