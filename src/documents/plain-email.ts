// Letters and digits with dots, hyphens and underscores between them: the authority takes no other character, and no
// `+` (CF403).
const NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/;
const NAME_CHARACTERS_MAX = 64;

export const EMAIL_HINT = 'letters and digits with single dots, hyphens and underscores, such as ap@pembeli.example';

/** Whether an e-mail address has a form that the authority takes. */
export function isPlainEmail(email: string): boolean {
  const at = email.lastIndexOf('@');
  const name = email.slice(0, at);
  return name.length <= NAME_CHARACTERS_MAX && NAME.test(name) && DOMAIN.test(email.slice(at + 1));
}
