import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyHelmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const PREFIX = '/dashboard';
const ENTRY = 'index.html';
const YEAR_SECONDS = 365 * 24 * 3_600;

// Nothing is loaded from elsewhere, nothing is embedded elsewhere. Styles: the components set positions and sizes in
// style attributes, which no other directive allows.
const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    objectSrc: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/** Where `npm run build` puts the pages: `dist/dashboard` of the project, whether this runs compiled or from its source. */
function builtPages(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder)) {
    folder = path.dirname(folder);
  }
  return path.join(folder, 'dist', 'dashboard');
}

/** Serves the dashboard's built pages at /dashboard; every address in it that is no file is the application's own. */
export async function servePages(fastify: FastifyInstance): Promise<void> {
  const root = builtPages();
  if (!existsSync(path.join(root, ENTRY))) return;
  await fastify.register(
    async (pages) => {
      await pages.register(fastifyHelmet, {
        contentSecurityPolicy: CONTENT_SECURITY_POLICY,
        referrerPolicy: { policy: 'same-origin' },
      });
      // Files have a hash of their content in their names; the entry names them and must be asked for anew.
      await pages.register(fastifyStatic, {
        root,
        wildcard: false,
        cacheControl: false,
        setHeaders: (reply, file) => {
          const isEntry = path.basename(file) === ENTRY;
          reply.header('Cache-Control', isEntry ? 'no-cache' : `public, max-age=${YEAR_SECONDS}, immutable`);
        },
      });
      pages.get('/*', (_request, reply) => reply.sendFile(ENTRY));
    },
    { prefix: PREFIX },
  );
}
