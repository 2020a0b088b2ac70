import { saysNone } from './identity.js';

// The authority accepts letters and digits separated by dots, hyphens and underscores, but no `+` (CF403).
const NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/;
const NAME_CHARACTERS_MAX = 64;

export const EMAIL_HINT = 'letters and digits with single dots, hyphens and underscores, such as ap@pembeli.example';

/** Returns whether the authority accepts the form of an e-mail address. */
export function isPlainEmail(email: string): boolean {
  const at = email.lastIndexOf('@');
  const name = email.slice(0, at);
  return name.length <= NAME_CHARACTERS_MAX && NAME.test(name) && DOMAIN.test(email.slice(at + 1));
}

const ADDRESS_TEXT_CHARACTERS_MAX = 300;
const ADDRESS = /[^\s@,;:/<>()"]+@[^\s@,;:/<>()"]+\.[A-Za-z]{2,}/;

/** The first word of `siti aminah@x.my` may be part of the address. */
function isAlone(address: string, text: string): boolean {
  return address !== text && /[@,;:/<>()"]/.test(text.replace(address, ''));
}

export function emailHint(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (saysNone(text)) return 'leave it out';
  const [address] = text.length > ADDRESS_TEXT_CHARACTERS_MAX ? [] : (ADDRESS.exec(text) ?? []);
  if (address !== undefined && isAlone(address, text)) return `use ${address}, one address only; or leave it out`;
  return 'send one address such as ap@pembeli.example, or leave it out';
}
