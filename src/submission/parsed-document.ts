import type { Recipient, SimplifiedDocument } from '../documents/simplified-document.js';

/** The members that identify a parsed document, its parent and its duplicates. */
export type ParsedDocument = Pick<
  SimplifiedDocument,
  'documentType' | 'referenceId' | 'documentDate' | 'dateMember' | 'relatedInvoice'
> & {
  readonly recipient: Pick<Recipient, 'tin'> | null;
};
