const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/**
 * Returns a browser name such as "Firefox on Windows". The first matching pattern wins because user agents contain
 * several names.
 */
export function describeBrowser(userAgent: string): string {
  const browser = BROWSERS.find(([sign]) => sign.test(userAgent))?.[1] ?? 'A program';
  const system = SYSTEMS.find(([sign]) => sign.test(userAgent))?.[1];
  return system === undefined ? browser : `${browser} on ${system}`;
}
