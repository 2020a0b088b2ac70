const HERE = 'http://here.invalid';

/** Returns the path if it belongs to the dashboard, else null. Prevents open redirects. */
export function localPath(path: unknown): string | null {
  if (typeof path !== 'string' || !path.startsWith('/') || !URL.canParse(path, HERE)) return null;
  const { origin, pathname, search, hash } = new URL(path, HERE);
  // Also checks the normalised path because `/.//elsewhere.example` becomes `//elsewhere.example`.
  return origin === HERE && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : null;
}
