import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { RepeatedMember } from './repeated-members.js';
import { AddRouteConfig } from './route-config.js';

export interface BodyHandling {
  readonly isStrict: boolean;
  readonly repeatedMembers?: readonly RepeatedMember[] | undefined;
}

/** Returns whether the first `handling` preference is `strict` (RFC 7240). Ignores malformed preferences. */
export function prefersStrictHandling(headers: IncomingHttpHeaders): boolean {
  const preferences = [headers.prefer ?? []].flat().join(',');
  const [, handling] = /(?:^|,)\s*handling\s*=\s*"?([a-z]+)"?\s*(?=[,;]|$)/i.exec(preferences) ?? [];
  return handling?.toLowerCase() === 'strict';
}

export function readBodyHandling({ headers, repeatedMembers }: FastifyRequest): BodyHandling {
  return { isStrict: prefersStrictHandling(headers), repeatedMembers };
}

export const ApiStrictHandling = (): MethodDecorator =>
  applyDecorators(
    AddRouteConfig({ namesRepeatedMembers: true }),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description:
        'With `handling=strict`, unknown fields and fields that are repeated with the same value are errors instead of warnings.',
      schema: { type: 'string', example: 'handling=strict' },
    }),
  );

/** Returns every occurrence of a header. Node's `headersDistinct` would allocate half a kilobyte per request. */
export function listOccurrences({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const found = rawHeaders[index];
    if (found.length === name.length && found.toLowerCase() === name) values.push(rawHeaders[index + 1]);
  }
  return values;
}
