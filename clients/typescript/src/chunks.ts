import type { SubmissionType, SubmitDocument, SubmitRequest } from './types.js';

export const DOCUMENTS_PER_REQUEST_MAX = 100;
/** Larger bodies have their own limits, which the other requests of an organisation share. */
const DOCUMENT_BYTES_MAX = 240_000;

/** The documents of one request. */
export interface Chunk {
  /** From 1, in the order of the list. */
  readonly number: number;
  /** Of its first document in the list. */
  readonly firstIndex: number;
  readonly documents: readonly SubmitDocument[];
  /** The body: one text for equal documents, in whichever order their members are. */
  readonly text: string;
}

/**
 * Cuts a list into requests, in its order. The cut decides which key a document is sent with, so it depends on the
 * documents alone and never changes: a run may be resumed by a later version of this client.
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

/** The list positions of the first document that is twice in the list; null if there is none. */
export function findRepeated(documents: readonly SubmitDocument[]): readonly [number, number] | null {
  const seen = new Map<string, number>();
  for (const [index, { documentType, referenceId }] of documents.entries()) {
    // As the service compares them; a caller without types may send something else than a text.
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
