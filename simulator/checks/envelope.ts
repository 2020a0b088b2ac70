import type { SimulatorResponse } from '../responses.js';
import { apiError } from '../errors.js';
import { parseJson } from '../parse-json.js';
import { type UblNode, isNode } from '../ubl.js';

/** An entry of the submission as received. */
export interface SubmittedEntry {
  codeNumber: string;
  documentHash: string;
  document: string;
}

export const bodyBytesMax = 5_000_000;
const documentsMax = 100;
const fieldNames = ['format', 'documentHash', 'codeNumber', 'document'];

type Envelope = { entries: SubmittedEntry[] } | { refusal: SimulatorResponse };

/** Validates the submission without decoding its documents. */
export function readEnvelope(body: Buffer, isTooLarge: boolean): Envelope {
  if (isTooLarge || body.length > bodyBytesMax) return { refusal: tooLarge(`${bodyBytesMax} bytes`) };
  const submission = parseJson(body.toString('utf8'));
  if (submission === undefined) return { refusal: envelopeError('ValidationError', 'JSON is not valid') };
  const documents = isNode(submission) ? submission.documents : undefined;
  if (!Array.isArray(documents)) return { refusal: envelopeError('ValidationError', 'Invalid structure') };
  if (documents.length === 0) return { refusal: envelopeError('BadStructure', 'There are no documents') };
  if (documents.length > documentsMax) return { refusal: tooLarge(`${documentsMax} documents`) };
  const entries = documents.filter((entry) => isEntry(entry));
  if (entries.length !== documents.length) return { refusal: envelopeError('BadStructure', 'Invalid structure') };
  if (entries.some((entry) => String(entry.format).toUpperCase() !== 'JSON')) {
    return { refusal: envelopeError('BadStructure', 'Only the format JSON is simulated') };
  }
  return { entries: entries.map((entry) => toEntry(entry)) };
}

/** Returns the document numbers of a body, or an empty list if the body is invalid. */
export function numbersIn(body: Buffer): string[] {
  const envelope = readEnvelope(body, false);
  return 'entries' in envelope ? envelope.entries.map(({ codeNumber }) => codeNumber) : [];
}

function isEntry(entry: unknown): entry is UblNode {
  return isNode(entry) && fieldNames.every((name) => typeof entry[name] === 'string' && entry[name] !== '');
}

function toEntry(entry: UblNode): SubmittedEntry {
  return {
    codeNumber: String(entry.codeNumber),
    documentHash: String(entry.documentHash),
    document: String(entry.document),
  };
}

function envelopeError(code: string, message: string): SimulatorResponse {
  return apiError(400, { code, message, target: 'submission' });
}

function tooLarge(limit: string): SimulatorResponse {
  return envelopeError('MaximumSizeExceeded', `The submission is larger than ${limit}`);
}
