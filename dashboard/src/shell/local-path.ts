const HERE = 'http://here.invalid';

/** `path` when it is an address of the dashboard itself, else null: a link must not lead a signed-in user elsewhere. */
export function localPath(path: unknown): string | null {
  if (typeof path !== 'string' || !path.startsWith('/') || !URL.canParse(path, HERE)) return null;
  const { origin, pathname, search, hash } = new URL(path, HERE);
  // The normalised path is judged too: `/.//elsewhere.example` becomes `//elsewhere.example`.
  return origin === HERE && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : null;
}
