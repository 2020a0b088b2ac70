import { readUnchosen } from './unchosen.js';

export const HOME = 'MYS';

export function isAbroad(country: string | null | undefined): boolean {
  return Boolean(country) && country !== HOME && readUnchosen(country) === null;
}
