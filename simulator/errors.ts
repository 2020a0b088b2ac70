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

/** The error body that the live API was seen to answer; it differs from the one its own pages describe. */
export function apiError(status: number, fields: ErrorFields): SimulatorResponse {
  const { code, message, target = null, details = null, headers } = fields;
  return jsonResponse(status, { error: { code, message, target, details } }, headers);
}

/** The shape the captures show for a refusal of the whole submission. */
export function submissionError(message: string): SimulatorResponse {
  return apiError(400, {
    code: 'ValidationError',
    message: null,
    details: [{ code: 'submission', target: 'submission', message }],
  });
}

/** A document's supplier is not the taxpayer of the login. The captured text ends with a space. */
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

/** A switch of the appointment is off. */
export function notPermitted(): SimulatorResponse {
  return apiError(403, { code: 'Forbidden', message: 'The taxpayer has not permitted this to the intermediary' });
}

export function notFound(target: string): SimulatorResponse {
  return apiError(404, { code: 'NotFound', message: `${target} not found`, target });
}

/** The gateway in front of the API reports its limits in its own shape. */
export function tooManyRequests(seconds: number, headers: Headers): SimulatorResponse {
  const message = `Rate limit is exceeded. Try again in ${seconds} seconds.`;
  return jsonResponse(429, { statusCode: 429, message }, headers);
}

/** A mistake in a control call or an option: it is said to the person who made it, in plain words. */
export class ControlError extends Error {}
