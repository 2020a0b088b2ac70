import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';

export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCaller => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (caller === undefined) throw new Error('A handler asked for the caller of a public route');
  return caller;
});
