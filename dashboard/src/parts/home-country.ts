import { readUnmatched } from './unmatched.js';

export const HOME = 'MYS';

export function isAbroad(country: string | null | undefined): boolean {
  return Boolean(country) && country !== HOME && readUnmatched(country) === null;
}
