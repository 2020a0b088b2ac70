import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Health checks have a separate rate limit and are logged at `debug` level. */
    isHealthCheck?: boolean;
  }
}

/** Extends the route configuration of a handler or controller. Nest's `RouteConfig` would replace it. */
export function AddRouteConfig(config: FastifyContextConfig): MethodDecorator & ClassDecorator {
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const subject = (descriptor?.value ?? target) as object;
    const earlier = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, subject) as FastifyContextConfig | undefined;
    const add = RouteConfig({ ...earlier, ...config }) as (...subjects: unknown[]) => void;
    add(target, key, descriptor);
  };
}
