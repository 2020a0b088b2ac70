import { type SimulatorResponse, jsonResponse } from './responses.js';
import { tokenError } from './errors.js';
import type { AuthorityRequest, AuthorizedRequest } from './requests.js';
import type { Session } from './token-book.js';
import { isBrn, isTaxpayerTin } from './ubl.js';
import type { World } from './world.js';

/** Reads the claimed identity of a login without any check. */
export function readLoginCaller(request: AuthorityRequest): Session {
  // A BRN may contain a colon.
  const [tin = '', ...brn] = String(request.headers.onbehalfof ?? '').split(':');
  return { clientId: parseForm(request).get('client_id') ?? '', tin, brn: brn.join(':') };
}

export function issueToken(world: World, request: AuthorizedRequest): SimulatorResponse {
  const refusal = refuseClient(world, parseForm(request)) ?? refuseTaxpayer(world, request);
  if (refusal) return refusal;
  const { tokenSeconds } = world.settings;
  return jsonResponse(200, {
    access_token: world.issueToken(request.session),
    expires_in: tokenSeconds,
    token_type: 'Bearer',
    scope: 'InvoicingAPI',
  });
}

function refuseClient(world: World, form: URLSearchParams): SimulatorResponse | undefined {
  const { clientId, clientSecret, secondClientSecret } = world.settings;
  const secret = form.get('client_secret');
  const isKnownSecret = isExpected(secret, clientSecret) || (secret !== null && secret === secondClientSecret);
  if (!isExpected(form.get('client_id'), clientId)) return tokenError('invalid_client', 'Unknown client');
  if (!isKnownSecret) return tokenError('invalid_client', 'Wrong client secret');
  if (form.get('grant_type') !== 'client_credentials') {
    return tokenError('unsupported_grant_type', 'grant_type must be client_credentials');
  }
  const scope = form.get('scope') ?? 'InvoicingAPI';
  return scope === 'InvoicingAPI' ? undefined : tokenError('invalid_scope', 'Unknown scope');
}

function refuseTaxpayer(world: World, { headers, session }: AuthorizedRequest): SimulatorResponse | undefined {
  const { tin, brn } = session;
  const hasBrn = headers.onbehalfof?.includes(':') ?? false;
  if (!isTaxpayerTin(tin) || (hasBrn && !isBrn(brn))) {
    return tokenError('invalid_request', 'The header onbehalfof must be the TIN, or TIN:BRN, of a taxpayer');
  }
  // No captured response is public, so invalid_grant is an assumption.
  return world.isAppointedBy(tin)
    ? undefined
    : tokenError('invalid_grant', 'The taxpayer has not appointed this intermediary');
}

function parseForm(request: AuthorityRequest): URLSearchParams {
  return new URLSearchParams(request.body.toString('utf8'));
}

function isExpected(given: string | null, expected: string | null): boolean {
  return Boolean(given) && (expected === null || given === expected);
}
