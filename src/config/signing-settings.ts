import { readFileSync } from 'node:fs';
import { createSigner, type Signer, SigningMaterialError } from '../common/signing/signer.js';
import type { SettingsReader } from './settings-reader.js';

/** Reads the signer of an authority. `_SIGNING_CERT` and `_SIGNING_KEY` are paths of PEM files or PEM text. */
export function readSigner(settings: SettingsReader, prefix: string): Signer | null {
  const [certificateName, keyName] = [`${prefix}_SIGNING_CERT`, `${prefix}_SIGNING_KEY`];
  if (settings.isSet(certificateName) !== settings.isSet(keyName)) {
    settings.problem(`${certificateName} and ${keyName} must be set together, or neither`);
    return null;
  }
  if (!settings.isSet(certificateName)) return null;
  const certificatePem = readPem(settings, certificateName);
  const privateKeyPem = readPem(settings, keyName);
  if (certificatePem === null || privateKeyPem === null) return null;
  try {
    return createSigner({ certificatePem, privateKeyPem }, new Date());
  } catch (error) {
    if (!(error instanceof SigningMaterialError)) throw error;
    for (const problem of error.problems) settings.problem(`${certificateName} and ${keyName}: ${problem}`);
    return null;
  }
}

function readPem(settings: SettingsReader, name: string): string | null {
  const value = settings.text(name);
  // Some tools pass only single-line environment variables.
  if (value.startsWith('-----BEGIN')) return value.replaceAll('\\n', '\n');
  try {
    return readFileSync(value, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    // Omits the value, which may be a key in another format.
    settings.problem(`${name} must be the path of a readable PEM file, or PEM text: ${code}`);
    return null;
  }
}
