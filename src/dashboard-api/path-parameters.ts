import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ENVIRONMENTS } from '../config/environment.js';
import { validate as isUuid } from 'uuid';
import { DashboardError } from '../errors/dashboard-errors.js';

/** Documents the organisation and the environment of an address. */
export function OrganisationEnvironmentParams(): MethodDecorator {
  return applyDecorators(
    ApiParam({ name: 'tenantId', schema: { type: 'string', format: 'uuid' }, description: 'The organisation.' }),
    ApiParam({ name: 'environment', schema: { type: 'string', enum: [...ENVIRONMENTS] } }),
  );
}

/** Documents the attempt of an address. */
export function TransactionParam(): MethodDecorator {
  return ApiParam({ name: 'transactionId', schema: { type: 'string', format: 'uuid' }, description: 'The attempt.' });
}

/** @throws DashboardError (404) for what is no id */
export function parseId(text: string): string {
  if (!isUuid(text)) throw new DashboardError('not_found_here');
  return text.toLowerCase();
}
