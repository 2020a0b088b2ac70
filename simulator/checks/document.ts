import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { parseJson } from '../parse-json.js';
import { type UblNode, isNode, nodeAt, textAt } from '../ubl.js';
import type { CheckFinding } from './check-finding.js';
import type { SubmittedEntry } from './envelope.js';
import { checkNumberTexts, checkStructure } from './structure.js';

const documentBytesMax = 300_000;

export interface ReadDocument {
  raw: Buffer;
  rawSha256: string;
  invoice: UblNode;
}

/** Decodes a document and checks its encoding, hash, size, structure and number. */
export function readDocument(entry: SubmittedEntry, now: number): ReadDocument | CheckFinding[] {
  // Allocates separate memory, because a slice of Node's pool would keep the whole pool in memory with the document.
  const raw = Buffer.allocUnsafeSlow(Buffer.byteLength(entry.document, 'base64'));
  raw.write(entry.document, 'base64');
  // Buffer skips invalid base64 characters, so a round trip is needed to detect them.
  if (raw.toString('base64') !== entry.document) return [refusal('document', 'Document is not valid base64.')];
  const rawSha256 = hash('sha256', raw, 'hex');
  if (rawSha256 !== entry.documentHash) return [refusal('documentHash', 'Document hash is not valid.')];
  if (raw.length > documentBytesMax) {
    const message = `The document is larger than ${documentBytesMax} bytes.`;
    return [{ ...refusal('document', message), code: 'MaximumSizeExceeded' }];
  }
  const text = raw.toString('utf8');
  const root = isUtf8(raw) ? parseJson(text) : undefined;
  if (!isNode(root)) return [refusal('document', 'The JSON value could not be converted to UBLJsonDocument.')];
  const findings = [...checkStructure(root, now), ...checkNumberTexts(text)];
  if (findings.length > 0) return findings;
  const invoice = nodeAt(root, 'Invoice') ?? {};
  return textAt(invoice, 'ID') === entry.codeNumber
    ? { raw, rawSha256, invoice }
    : [refusal('codeNumber', 'The code number is not the internal id of the document.')];
}

function refusal(target: string, message: string): CheckFinding {
  return { code: null, message, target, propertyPath: null };
}
