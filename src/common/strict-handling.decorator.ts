import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { prefersStrictHandling } from './prefer.js';

/** Whether the request says `Prefer: handling=strict`. */
export const StrictHandling = createParamDecorator((_: unknown, context: ExecutionContext): boolean =>
  prefersStrictHandling(context.switchToHttp().getRequest<FastifyRequest>().headers),
);

/** Describes the header in the OpenAPI document. */
export const ApiStrictHandling = (): MethodDecorator =>
  ApiHeader({
    name: 'Prefer',
    required: false,
    description:
      'With `handling=strict` fields that the interface does not know, or that are sent twice, are errors, and not warnings.',
    schema: { type: 'string', example: 'handling=strict' },
  });
