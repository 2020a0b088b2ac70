import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ValidationError } from '../errors/api-error.js';
import { assertPasswordIsGood } from './password-rules.js';

const CONTEXT = {
  email: 'aisyah.rahman@kedai-contoh.example',
  organisations: [{ name: 'Kedai Contoh Sdn Bhd' }, { name: '陈记贸易有限公司' }],
};

async function findRule(password: string): Promise<string | null> {
  try {
    await assertPasswordIsGood(password, CONTEXT, '/password');
    return null;
  } catch (error) {
    if (error instanceof ValidationError) return error.problems[0].rule;
    throw error;
  }
}

describe('assertPasswordIsGood', () => {
  it('rejects common passwords, even with added digits or symbols', async () => {
    const common = dictionary['passwords-common'];
    expect(common.length).toBeGreaterThan(10_000);
    for (const password of common) {
      expect(await findRule(password), password).toBe('password_common');
      const padded = `${password}!2026`;
      if (password.length >= 6) expect(await findRule(padded), padded).toBe('password_common');
    }
  });

  it.each([
    ['Password1234!', 'password_common'],
    ['passwordpassword', 'password_common'],
    ['PASSWORDpassword1', 'password_common'],
    ['abcdabcdabcd', 'password_common'],
    ['202620262026', 'password_common'],
    ['８８８８８８８８８８８８', 'password_common'],
    ['aisyah.rahman@kedai-contoh.example', 'password_personal'],
    ['Aisyah.Rahman1', 'password_personal'],
    ['kedai-contoh2026', 'password_personal'],
    ['Kedai Contoh Sdn Bhd', 'password_personal'],
    ['kedaicontohsdnbhd!1', 'password_personal'],
    ['陈记贸易有限公司2026', 'password_personal'],
  ])('rejects %s by the rule %s', async (password, rule) => {
    expect(await findRule(password)).toBe(rule);
  });

  it.each(['⁗'.repeat(100) + 'a' + '⁗'.repeat(99), '\uFDFA'.repeat(199) + 'a', '⑳'.repeat(200), '⁗'.repeat(199) + 'Ⅷ'])(
    'needs fewer than 1,000 lookups for %s',
    async (password) => {
      await findRule('correct horse battery staple');
      const lookUps = vi.spyOn(Set.prototype, 'has');
      onTestFinished(() => lookUps.mockRestore());
      await findRule(password);
      expect(lookUps.mock.calls.length).toBeLessThan(1_000);
    },
  );

  it.each([
    ['a'.repeat(12), 'password_common'],
    ['ab1'.repeat(5), 'password_common'],
    ['😀'.repeat(12), 'password_common'],
    ['!!dragondragon!!', 'password_common'],
    [`${'ab1'.repeat(5)}a`, null],
    ['aabaabaabaac', null],
  ])('treats the repetition %s as rule %s', async (password, rule) => {
    expect(await findRule(password)).toBe(rule);
  });

  it.each([
    'correct horse battery staple',
    'aisyah buys eleven green umbrellas',
    'Wq8-fT2z_Lm5x',
    'kedai contoh sells purple elephants',
    '雨天的紫色大象在唱歌跳舞',
    'Passphrase-mh3k2jq9-long',
  ])('accepts %s', async (password) => {
    expect(await findRule(password)).toBeNull();
  });
});
