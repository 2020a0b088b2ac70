import { createHash } from 'node:crypto';

/** Lists all other files of an evidence ZIP in the format of `sha256sum --check`. */
export const MANIFEST = 'manifest-sha256.txt';

const LINE = /^(?<sha256>[0-9a-f]{64}) {2}(?<path>\S.*)$/;

export function computeSha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

export function formatManifestLine(path: string, sha256: string): string {
  return `${sha256}  ${path}\n`;
}

/** Returns the SHA-256 of each path, or null if the string is not a manifest. */
export function parseManifest(text: string): Map<string, string> | null {
  const hashes = new Map<string, string>();
  for (const line of text.split('\n').slice(0, -1)) {
    const { sha256, path } = LINE.exec(line)?.groups ?? {};
    if (sha256 === undefined || path === undefined || hashes.has(path)) return null;
    hashes.set(path, sha256);
  }
  return text.endsWith('\n') ? hashes : null;
}
