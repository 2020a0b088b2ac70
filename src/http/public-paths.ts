import type { FastifyRequest } from 'fastify';

/** The dashboard's pages, the docs site and the redirect to the dashboard. Libraries add their routes. */
const PAGE_PATH = /^\/(?:$|llms\.txt$|(?:dashboard|docs)(?:$|\/))/;

const API_DESCRIPTION_PATH = '/api/docs-';

/** Whether the route serves files of the dashboard or the docs site, of which one visit requests many. */
export function isPage({ routeOptions }: FastifyRequest): boolean {
  return PAGE_PATH.test(routeOptions.url ?? '');
}

/** Whether the route needs no API key: one marked `@Public()`, a page, or the API description. */
export function isPublic(request: FastifyRequest): boolean {
  const { config, url = '' } = request.routeOptions;
  return config.isPublic === true || isPage(request) || url.startsWith(API_DESCRIPTION_PATH);
}
