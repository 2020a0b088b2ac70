import type { SettingsReader } from './settings-reader.js';

const PACKS_MAX = 12;

export interface CreditPack {
  readonly credits: number;
  readonly price: string;
}

/** Reads pairs of credits and price in RM, such as `100=50,1000=400.00`. */
export function readCreditPacks(settings: SettingsReader): CreditPack[] {
  if (!settings.isSet('CREDIT_PACKS')) return [];
  const parts = settings.text('CREDIT_PACKS').split(',');
  const packs = parts.flatMap((part) => {
    const [, credits, ringgit, sen = ''] = /^\s*([1-9]\d{0,6})=(\d{1,9})(?:\.(\d{1,2}))?\s*$/.exec(part) ?? [];
    return credits === undefined ? [] : [{ credits: Number(credits), price: `${ringgit}.${sen.padEnd(2, '0')}` }];
  });
  const isClear = packs.length === parts.length && new Set(packs.map(({ credits }) => credits)).size === packs.length;
  if (!isClear || packs.length > PACKS_MAX || packs.some(({ credits }) => credits > 1_000_000)) {
    settings.problem(
      `CREDIT_PACKS must be up to ${PACKS_MAX} packs, such as 100=50,1000=400.00: different numbers of credits up to 1,000,000, each with its price in RM`,
    );
  }
  return packs;
}
