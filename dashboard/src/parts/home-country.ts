import { readUnchosen } from './unchosen.js';

export const HOME = 'MYS';

/** Whether a country was chosen in which a state is entered as a name. The list of states is Malaysia's. */
export function isAbroad(country: string | null | undefined): boolean {
  return Boolean(country) && country !== HOME && readUnchosen(country) === null;
}
