import 'reflect-metadata';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { expect, it } from 'vitest';
import { AddRouteConfig } from './route-config.js';

class Handlers {
  @AddRouteConfig({ keepsBytes: true })
  @AddRouteConfig({ mayLackBody: true })
  both(): void {}
}

it('AddRouteConfig merges the configuration of all decorators', () => {
  expect(Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, Handlers.prototype.both)).toEqual({
    keepsBytes: true,
    mayLackBody: true,
  });
});
