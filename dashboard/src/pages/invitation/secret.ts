const NAME = 'invitation';

/**
 * The secret of the link: what its fragment says, which is remembered in this tab, so that it outlives a sign-in on the
 * way without ever standing in an address that is sent.
 */
export function takeSecret(fragment: string): string {
  if (fragment !== '') sessionStorage.setItem(NAME, fragment);
  return sessionStorage.getItem(NAME) ?? '';
}

/** It was used. */
export function forgetSecret(): void {
  sessionStorage.removeItem(NAME);
}
