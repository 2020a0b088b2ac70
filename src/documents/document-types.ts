import type { DocumentType } from './simplified-document.js';

// Replaced at the merge.
export function documentTypeNamed(name: string | null): DocumentType | null {
  if (name === null) return null;
  if (/credit/i.test(name)) return 'credit_note';
  return /^\s*invoice\s*$/i.test(name) ? 'invoice' : null;
}
