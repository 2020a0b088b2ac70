import type { Recipient, SimplifiedDocument } from '../documents/simplified-document.js';

/** What of a document its numbers, its parent and its duplicates are judged by. */
export type StatedDocument = Pick<
  SimplifiedDocument,
  'documentType' | 'referenceId' | 'documentDate' | 'dateMember' | 'relatedInvoice'
> & {
  readonly recipient: Pick<Recipient, 'tin'> | null;
};
