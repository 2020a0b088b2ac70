import type { SettingsReader } from './settings-reader.js';

/** Where people of an organisation ask for help, which the dashboard links to: a page, or an e-mail address. Null: no link. */
export function readSupportUrl(settings: SettingsReader): string | null {
  if (!settings.isSet('SUPPORT_URL')) return null;
  const text = settings.text('SUPPORT_URL');
  if (!isPageOrMail(text)) {
    // The value is not repeated: it may hold a password.
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
