import { type SimulatorResponse, jsonResponse } from './responses.js';
import { badArgument, notFound, tooManyRequests, unauthorized } from './errors.js';
import { changeResponse, buildFaultResponse, canaryPath, findNumbers } from './faults.js';
import { listNotifications } from './notifications.js';
import { ParameterRefusal } from './query-parameters.js';
import { getDocumentType, getDocumentTypeVersion, listDocumentTypes } from './read-document-types.js';
import { getDetails, getRaw, getSubmission } from './read-documents.js';
import type { ApiName } from './api-names.js';
import type { AuthorityRequest, AuthorizedRequest, HttpRequest } from './requests.js';
import { recentDocuments } from './recent.js';
import { searchDocuments } from './search.js';
import { changeState } from './state-changes.js';
import { submit } from './submit.js';
import { qrCodeInfo, searchTin, validateTin } from './taxpayers.js';
import type { Session } from './token-book.js';
import { issueToken, readLoginCaller } from './tokens.js';
import type { World } from './world.js';

interface Route {
  method: string;
  pattern: RegExp;
  api: ApiName;
  handle(world: World, request: AuthorizedRequest): SimulatorResponse;
}

const prefix = '/api/v1\\.0';

function routeTo(method: string, path: string, name: ApiName, handle: Route['handle']): Route {
  return { method, pattern: new RegExp(`^${path}$`), api: name, handle };
}

// The authority's pages write the submit path with a trailing slash, its published collections without one.
const routes: Route[] = [
  routeTo('POST', '/connect/token', 'token', issueToken),
  routeTo('POST', `${prefix}/documentsubmissions/?`, 'submit', submit),
  routeTo('GET', `${prefix}/documentsubmissions/(?<uid>[^/]+)`, 'getSubmission', getSubmission),
  routeTo('GET', `${prefix}/documents/search`, 'search', searchDocuments),
  routeTo('GET', `${prefix}/documents/recent`, 'recent', recentDocuments),
  routeTo('GET', `${prefix}/documents/(?<uuid>[^/]+)/details`, 'details', getDetails),
  routeTo('GET', `${prefix}/documents/(?<uuid>[^/]+)/raw`, 'raw', getRaw),
  routeTo('PUT', `${prefix}/documents/state/(?<uuid>[^/]+)/state`, 'cancel', changeState),
  routeTo('GET', `${prefix}/taxpayer/validate/(?<tin>[^/]+)`, 'validateTin', validateTin),
  routeTo('GET', `${prefix}/taxpayer/search/tin`, 'searchTin', searchTin),
  routeTo('GET', `${prefix}/taxpayers/qrcodeinfo/(?<text>[^/]+)`, 'qrCode', qrCodeInfo),
  routeTo('GET', `${prefix}/documenttypes`, 'documentTypes', listDocumentTypes),
  routeTo('GET', `${prefix}/documenttypes/(?<id>[^/]+)`, 'documentType', getDocumentType),
  routeTo(
    'GET',
    `${prefix}/documenttypes/(?<id>[^/]+)/versions/(?<vid>[^/]+)`,
    'documentTypeVersion',
    getDocumentTypeVersion,
  ),
  routeTo('GET', `${prefix}/notifications/taxpayer`, 'notifications', listNotifications),
];

export function respondAsAuthority(world: World, request: HttpRequest): SimulatorResponse {
  if (request.path.startsWith(canaryPath)) return respondToCanary(world, request);
  for (const candidate of routes) {
    const match = candidate.method === request.method ? candidate.pattern.exec(request.path) : null;
    if (match) return call(world, candidate, { ...request, parameters: match.groups ?? {} });
  }
  return notFound('Resource');
}

/** Logs a request that followed a redirect, with the token that the client sent along. */
function respondToCanary(world: World, request: HttpRequest): SimulatorResponse {
  const now = world.clock.now();
  const { clientId = '', tin: taxpayerTin = '' } = world.tokens.find(request.headers, now) ?? {};
  world.calls.add(now, {
    api: 'canary',
    clientId,
    taxpayerTin,
    status: 200,
    fault: null,
    traceparent: readTraceparent(request),
  });
  return jsonResponse(200, {});
}

function readTraceparent({ headers }: HttpRequest): string | null {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : null;
}

function call(world: World, route: Route, request: AuthorityRequest): SimulatorResponse {
  const { api } = route;
  const session = api === 'token' ? readLoginCaller(request) : world.tokens.find(request.headers, world.clock.now());
  const fault = world.faults.isEmpty()
    ? undefined
    : world.takeFault({ api, numbers: () => findNumbers(world, api, request), taxpayerTin: session?.tin ?? '' });
  const response = respondTo(world, route, { ...request, session, fault });
  const { clientId = '', tin: taxpayerTin = '' } = session ?? {};
  const status = response.delivery === 'cut' ? null : response.status;
  world.calls.add(world.clock.now(), {
    api,
    clientId,
    taxpayerTin,
    status,
    fault: fault ?? null,
    traceparent: readTraceparent(request),
  });
  return response;
}

/** Applies faults before authentication and rate limits, because real gateways fail in front of the API. */
function respondTo(
  world: World,
  route: Route,
  request: AuthorityRequest & Partial<AuthorizedRequest>,
): SimulatorResponse {
  const { session, fault } = request;
  const instead = fault && buildFaultResponse(fault, world, request);
  if (instead) return instead;
  if (!session) return unauthorized();
  const response = callWithinLimit(world, route.api, session, () => handle(world, route, { ...request, session }));
  return fault ? changeResponse(fault, response, world, session) : response;
}

function handle(world: World, route: Route, request: AuthorizedRequest): SimulatorResponse {
  try {
    return route.handle(world, request);
  } catch (error) {
    if (error instanceof ParameterRefusal) return badArgument(error.target, error.message);
    throw error;
  }
}

function callWithinLimit(
  world: World,
  api: ApiName,
  session: Session,
  makeCall: () => SimulatorResponse,
): SimulatorResponse {
  const rated = { api, clientId: session.clientId, taxpayerTin: session.tin };
  const verdict = world.rateLimits.take(rated, world.settings.rateFactor, world.clock.now());
  if (!verdict.isAllowed) return tooManyRequests(verdict.seconds, verdict.headers);
  const response = makeCall();
  return { ...response, headers: { ...verdict.headers, ...response.headers } };
}
