import { saysNone } from './identity-hints.js';

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

const ADDRESS_TEXT_CHARACTERS_MAX = 300;
const ADDRESS = /[^\s@,;:/<>()"]+@[^\s@,;:/<>()"]+\.[A-Za-z]{2,}/;

/** In `siti aminah@x.my`, the first word may be part of the address. */
function isAlone(address: string, text: string): boolean {
  return address !== text && /[@,;:/<>()"]/.test(text.replace(address, ''));
}

/** How an e-mail address of another form may be corrected. */
export function emailHint(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (saysNone(text)) return 'leave it out';
  const [address] = text.length > ADDRESS_TEXT_CHARACTERS_MAX ? [] : (ADDRESS.exec(text) ?? []);
  if (address !== undefined && isAlone(address, text)) return `use ${address}, one address only; or leave it out`;
  return 'send one address such as ap@pembeli.example, or leave it out';
}
