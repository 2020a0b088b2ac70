import type { FastifyInstance } from 'fastify';

interface Address {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** Records the methods of all routes added later. Returns a function that lists the methods of a URL. */
export function recordMethods(fastify: FastifyInstance): (url: string) => readonly string[] {
  const addresses = new Map<string, Address>();
  fastify.addHook('onRoute', ({ url, method }) => {
    const address = addresses.get(url) ?? { pattern: toPattern(url), methods: new Set() };
    for (const each of [method].flat()) address.methods.add(each);
    addresses.set(url, address);
  });
  return (url) => {
    const path = decodeURI(url.split('?', 1)[0]);
    const known = [...addresses.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(known.flatMap(({ methods }) => [...methods]))].toSorted();
  };
}

/** Matches like Fastify's router, which ignores a trailing slash. */
function toPattern(url: string): RegExp {
  const segments = url
    .replace(/\/$/, '')
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : escape(segment)));
  return new RegExp(`^${segments.join('/')}/?$`);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
