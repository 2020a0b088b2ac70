import type { SettingsReader } from './settings-reader.js';

export function readSupportUrl(settings: SettingsReader): string | null {
  if (!settings.isSet('SUPPORT_URL')) return null;
  const text = settings.text('SUPPORT_URL');
  if (!isPageOrMail(text)) {
    // Omits the value, which may contain a password.
    settings.problem(
      'SUPPORT_URL must be a page such as https://example.com/help, or an address such as mailto:help@example.com, ' +
        'without user name and password',
    );
  }
  return text;
}

function isPageOrMail(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, username, password } = new URL(text);
  if (protocol === 'mailto:') return /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/.test(pathname);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}
