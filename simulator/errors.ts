import { type SimulatorResponse, type Headers, jsonResponse } from './responses.js';

interface ErrorDetail {
  code: string | null;
  target: string;
  message: string;
}

interface ErrorFields {
  code: string;
  message: string | null;
  target?: string;
  details?: ErrorDetail[];
  headers?: Headers;
}

/** Builds an error body in the format of the live API, which differs from the format on the authority's pages. */
export function apiError(status: number, fields: ErrorFields): SimulatorResponse {
  const { code, message, target = null, details = null, headers } = fields;
  return jsonResponse(status, { error: { code, message, target, details } }, headers);
}

/** Builds the captured error format for the rejection of a whole submission. */
export function submissionError(message: string): SimulatorResponse {
  return apiError(400, {
    code: 'ValidationError',
    message: null,
    details: [{ code: 'submission', target: 'submission', message }],
  });
}

/** Error for a document whose supplier is not the login's taxpayer. The captured text ends with a space. */
export function tinMismatch(): SimulatorResponse {
  return submissionError('The authenticated TIN and documents TIN is not matching ');
}

export function tokenError(code: string, description: string): SimulatorResponse {
  return jsonResponse(400, { error: code, error_description: description, error_uri: null });
}

export function unauthorized(): SimulatorResponse {
  return apiError(401, {
    code: 'Unauthorized',
    message: 'The access token is missing, unknown or expired',
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

export function badArgument(target: string, message: string): SimulatorResponse {
  return apiError(400, { code: 'BadArgument', message, target });
}

/** Error for a permission that the appointment does not include. */
export function notPermitted(): SimulatorResponse {
  return apiError(403, { code: 'Forbidden', message: 'The taxpayer has not permitted this to the intermediary' });
}

export function notFound(target: string): SimulatorResponse {
  return apiError(404, { code: 'NotFound', message: `${target} not found`, target });
}

/** Builds a 429 in the error format of the authority's gateway. */
export function tooManyRequests(seconds: number, headers: Headers): SimulatorResponse {
  const message = `Rate limit is exceeded. Try again in ${seconds} seconds.`;
  return jsonResponse(429, { statusCode: 429, message }, headers);
}

/** Invalid control call or option. The caller sees its message. */
export class ControlError extends Error {}
