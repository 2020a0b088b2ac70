import type { FastifyRequest } from 'fastify';
import type { Origin } from '../../accounts/sessions.service.js';

/** Where a request came from. */
export function readOrigin({ ip, headers }: FastifyRequest): Origin {
  return { ip, userAgent: headers['user-agent'] ?? '' };
}
