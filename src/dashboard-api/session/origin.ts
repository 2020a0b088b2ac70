import type { FastifyRequest } from 'fastify';
import type { Origin } from '../../accounts/sessions.service.js';
import { readDeviceTokens } from './cookies.js';

/** Where a request came from. */
export function readOrigin(request: FastifyRequest): Origin {
  const { ip, headers } = request;
  return { ip, userAgent: headers['user-agent'] ?? '', deviceTokens: readDeviceTokens(request) };
}
