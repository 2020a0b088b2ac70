import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

// Nothing is loaded from elsewhere, and no page embeds this one.
const DIRECTIVES = [
  "default-src 'none'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

// The package's script sets this one; `test/browser/api-docs.e2e.ts` names the hash of another that a new version sets.
const SCRIPTED_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/** Gives every response below the path a policy under which the page runs its own files and nothing else. */
export function protectApiDescription(fastify: FastifyInstance, path: string): void {
  fastify.addHook('onRoute', (route) => {
    if (!route.url.startsWith(path)) return;
    route.onSend = (_request, reply, payload, done): void => {
      void reply.headers({
        'Content-Security-Policy': buildPolicy(typeof payload === 'string' ? payload : ''),
        'X-Frame-Options': 'DENY',
        'Referrer-Policy': 'same-origin',
      });
      done(null, payload);
    };
  });
}

/** The page is the package's, with styles in it and nothing that a caller has sent: they are allowed by their hashes. */
function buildPolicy(text: string): string {
  const elements = [...text.matchAll(/<style>([^<]*)<\/style>/g)];
  const attributes = [...text.matchAll(/ style="([^"]*)"/g)];
  const hashes = [...elements, ...attributes].map(([, style = '']) => `'sha256-${digest(style)}'`);
  const styles = hashes.length === 0 ? '' : ` 'unsafe-hashes' ${[SCRIPTED_STYLE, ...new Set(hashes)].join(' ')}`;
  return [...DIRECTIVES, `style-src 'self'${styles}`].join('; ');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
