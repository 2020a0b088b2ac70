const NAME = 'invitation';

/**
 * Returns the secret in the fragment of the link. The tab stores it so that it survives a sign-in and never appears in
 * a URL that is sent to a server.
 */
export function takeSecret(fragment: string): string {
  if (fragment !== '') sessionStorage.setItem(NAME, fragment);
  return sessionStorage.getItem(NAME) ?? '';
}

export function forgetSecret(): void {
  sessionStorage.removeItem(NAME);
}
