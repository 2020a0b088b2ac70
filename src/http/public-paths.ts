import type { FastifyRequest } from 'fastify';

/** Paths of the dashboard and the docs site. Libraries register their routes. */
const PAGE_PATH = /^\/(?:$|llms\.txt$|(?:dashboard|docs)(?:$|\/))/;

const API_DESCRIPTION_PATH = '/api/docs-';

/** Returns whether the route serves static files, which a single visit requests in large numbers. */
export function isPage({ routeOptions }: FastifyRequest): boolean {
  return PAGE_PATH.test(routeOptions.url ?? '');
}

export function isPublic(request: FastifyRequest): boolean {
  const { config, url = '' } = request.routeOptions;
  return config.isPublic === true || isPage(request) || url.startsWith(API_DESCRIPTION_PATH);
}
