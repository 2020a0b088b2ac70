import type { PaperRow } from './papers.sql.js';

/**
 * The name of a document's files without their ending, `invoice-INV-1001`: one that every file system takes, since it
 * begins with the type and has letters, digits, dots, hyphens and underscores only.
 */
export function buildFileName({ documentType, referenceId }: Pick<PaperRow, 'documentType' | 'referenceId'>): string {
  return `${documentType}-${referenceId.replaceAll(/[^\w.-]+/g, '_').replace(/\.+$/, '')}`;
}

/** Names of one ZIP: numbers that differ only in what is replaced, or in case, get different ones all the same. */
export class UniqueNames {
  private readonly taken = new Set<string>();

  take(name: string): string {
    let free = name;
    for (let copy = 2; this.taken.has(free.toLowerCase()); copy += 1) free = `${name}-${copy}`;
    this.taken.add(free.toLowerCase());
    return free;
  }
}
