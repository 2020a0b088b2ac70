import { describe, expect, it } from 'vitest';
import { readCreditPacks } from './credit-packs.js';
import { SettingsReader } from './settings-reader.js';

function read(text: string): ReturnType<typeof readCreditPacks> {
  const settings = new SettingsReader({ CREDIT_PACKS: text });
  const packs = readCreditPacks(settings);
  settings.assertNoProblems();
  return packs;
}

describe('CREDIT_PACKS', () => {
  it('reads pairs of credits and price in RM', () => {
    expect(read('100=50, 1000=400.5')).toEqual([
      { credits: 100, price: '50.00' },
      { credits: 1000, price: '400.50' },
    ]);
    expect(readCreditPacks(new SettingsReader({}))).toEqual([]);
  });

  it.each(['100', '100=', '0=1', '100=1.234', '100=-1', '100=1,100=2', '1000001=5', '100=RM 5', '100=5,,'])(
    'rejects %j with an example',
    (text) => expect(() => read(text)).toThrow('such as 100=50,1000=400.00'),
  );
});
