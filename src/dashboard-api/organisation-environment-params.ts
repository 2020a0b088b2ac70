import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ENVIRONMENTS } from '../config/environment.js';

/** Documents the organisation and the environment of an address. */
export function OrganisationEnvironmentParams(): MethodDecorator {
  return applyDecorators(
    ApiParam({ name: 'tenantId', schema: { type: 'string', format: 'uuid' }, description: 'The organisation.' }),
    ApiParam({ name: 'environment', schema: { type: 'string', enum: [...ENVIRONMENTS] } }),
  );
}
