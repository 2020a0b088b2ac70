import { describe, expect, it } from 'vitest';
import { SettingsError, SettingsReader } from './settings-reader.js';
import { readSupportUrl } from './support-settings.js';

function read(value: string): string | null {
  const settings = new SettingsReader({ SUPPORT_URL: value });
  const url = readSupportUrl(settings);
  settings.assertNoProblems();
  return url;
}

describe('SUPPORT_URL', () => {
  it.each([
    ['', null],
    [' https://help.example.com/e-invoice ', 'https://help.example.com/e-invoice'],
    ['http://help.example.com', 'http://help.example.com'],
    ['mailto:help@example.com?subject=E-invoice', 'mailto:help@example.com?subject=E-invoice'],
  ])('reads %j as %j', (value, url) => {
    expect(read(value)).toBe(url);
  });

  it.each([
    'help@example.com',
    'help.example.com',
    'javascript:alert(1)',
    'data:text/html,help',
    'tel:+60312345678',
    'mailto:',
    'mailto:help',
    'https://',
    'https://me:secret@help.example.com',
    'https://:secret@help.example.com',
    'https://me@help.example.com',
    'ftp://help.example.com',
    'mailto:help@example.com,all@example.com',
  ])('rejects %j with the fix', (value) => {
    expect(() => read(value)).toThrow(SettingsError);
    expect(() => read(value)).toThrow(
      'SUPPORT_URL must be a page such as https://example.com/help, or an address such as',
    );
  });

  it.each(['https://me:secret@help.example.com', 'https://:secret@help.example.com'])(
    'does not log the password of %j',
    (value) => {
      expect(() => read(value)).not.toThrow(/secret/);
    },
  );
});
