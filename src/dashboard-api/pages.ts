import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyHelmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { compressPublicResponses } from '../http/compression.js';

const PREFIX = '/dashboard';
const ENTRY = 'index.html';
// What the build writes into the entry, for a nonce that is another one in every response.
const NONCE = '__CSP_NONCE__';
// The build puts a hash of the content into the names of the files here, and nowhere else.
const HASHED_FOLDER = `${path.sep}assets${path.sep}`;
const YEAR_SECONDS = 365 * 24 * 3_600;

// Nothing is loaded from elsewhere, nothing is embedded elsewhere. Helmet adds the nonce for the style elements that
// the components make.
const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    objectSrc: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/**
 * Where `npm run build` puts the pages: `dist/dashboard` of the project, whether this runs compiled or from its source.
 */
function builtPages(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder)) {
    folder = path.dirname(folder);
  }
  return path.join(folder, 'dist', 'dashboard');
}

/**
 * Serves the dashboard's built pages at /dashboard; every address in it that is no file is the application's own, except
 * in the folder of the files that a build names.
 */
export async function servePages(fastify: FastifyInstance): Promise<void> {
  // Who opens the bare address looks for the pages.
  fastify.get('/', (_, reply) => reply.redirect(`${PREFIX}/`));
  const root = builtPages();
  const entry = path.join(root, ENTRY);
  if (!existsSync(entry)) return;
  const template = readFileSync(entry, 'utf8');
  await fastify.register(
    async (pages) => {
      // The nonce in the entry is no secret to guess: the next response has another.
      compressPublicResponses(pages, PREFIX);
      await pages.register(fastifyHelmet, {
        contentSecurityPolicy: CONTENT_SECURITY_POLICY,
        enableCSPNonces: true,
        referrerPolicy: { policy: 'same-origin' },
      });
      await pages.register(fastifyStatic, {
        root,
        wildcard: false,
        index: false,
        // The build's brotli and gzip files are sent instead of the original, and have no address themselves.
        preCompressed: true,
        globIgnore: [ENTRY, '**/*.br', '**/*.gz'],
        cacheControl: false,
        setHeaders: (reply, file) => void reply.header('Cache-Control', chooseCacheControl(file)),
      });
      const answer = (_: unknown, reply: FastifyReply): FastifyReply =>
        reply
          .type('text/html; charset=utf-8')
          .header('Cache-Control', 'no-store')
          .send(template.replaceAll(NONCE, reply.cspNonce.style));
      // A file of another version. Sent as a page, it would be executed.
      pages.get('/assets/*', (_, reply) =>
        reply
          .code(404)
          .type('text/plain; charset=utf-8')
          .header('Cache-Control', 'no-store')
          .send('This file is of another version of the dashboard: reload the page'),
      );
      pages.get('/', answer);
      pages.get('/*', answer);
    },
    { prefix: PREFIX },
  );
}

function chooseCacheControl(file: string): string {
  return file.includes(HASHED_FOLDER) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache';
}
