import type { SubmissionType, SubmitDocument, SubmitRequest } from './types.js';

export const DOCUMENTS_PER_REQUEST_MAX = 100;
/** Larger bodies count against separate limits, which all requests of an organisation share. */
const DOCUMENT_BYTES_MAX = 240_000;

/** The documents of one request. */
export interface Chunk {
  /** Position of the chunk, starting at 1. */
  readonly number: number;
  /** Index of the chunk's first document in the list. */
  readonly firstIndex: number;
  readonly documents: readonly SubmitDocument[];
  /** Request body. Equal documents produce the same text, regardless of the order of their members. */
  readonly text: string;
}

/**
 * Divides a list into requests. The division determines the idempotency key of each document, so it depends only on the
 * documents. It must never change, because a later version of this client may resume a run.
 */
export function cutIntoChunks({ submission_type, documents }: SubmitRequest, perRequest: number): Chunk[] {
  const chunks: Chunk[] = [];
  let first = 0;
  let bytes = 0;
  let texts: string[] = [];
  const close = (): void => {
    chunks.push({
      number: chunks.length + 1,
      firstIndex: first,
      documents: documents.slice(first, first + texts.length),
      text: toBody(submission_type, texts),
    });
    first += texts.length;
    bytes = 0;
    texts = [];
  };
  for (const document of documents) {
    const text = toSortedJson(document);
    const size = new TextEncoder().encode(text).length;
    if (texts.length === perRequest || (texts.length > 0 && bytes + size > DOCUMENT_BYTES_MAX)) close();
    texts.push(text);
    bytes += size;
  }
  if (texts.length > 0) close();
  return chunks;
}

/** Returns the indexes of the first pair with the same type and number, or null. */
export function findRepeated(documents: readonly SubmitDocument[]): readonly [number, number] | null {
  const seen = new Map<string, number>();
  for (const [index, { documentType, referenceId }] of documents.entries()) {
    // Trims like the service. An untyped caller may pass a value that is not a string.
    const name = `${documentType} ${''.concat(referenceId).trim()}`;
    const earlier = seen.get(name);
    if (earlier !== undefined) return [earlier, index];
    seen.set(name, index);
  }
  return null;
}

function toBody(submissionType: SubmissionType, documents: readonly string[]): string {
  return `{"documents":[${documents.join(',')}],"submission_type":${JSON.stringify(submissionType)}}`;
}

function toSortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
