import { parseJsonText } from '../common/parse-json-text.js';
import { readAll, readOne, readText, type UblValue } from './ubl-reader.js';
import { SIGNATURE_PATH } from './printed-document.js';

/** Values of a signature in base64, except for the time. */
export interface SignatureFacts {
  readonly signingTime: string | null;
  readonly documentDigest: string | null;
  readonly signatureValue: string;
  readonly certificate: string | null;
}

/** Returns null for an unsigned document. */
export function readSignatureFacts(bytes: Buffer): SignatureFacts | null {
  const invoice = readOne(parseJsonText(bytes.toString('utf8')) as UblValue, 'Invoice');
  const signature = readOne(invoice, SIGNATURE_PATH);
  const signatureValue = readText(signature, 'SignatureValue');
  if (signatureValue === null) return null;
  const [, documentReference] = readAll(signature, 'SignedInfo.Reference');
  return {
    signingTime: readText(
      signature,
      'Object.QualifyingProperties.SignedProperties.SignedSignatureProperties.SigningTime',
    ),
    documentDigest: readText(documentReference, 'DigestValue'),
    signatureValue,
    certificate: readText(signature, 'KeyInfo.X509Data.X509Certificate'),
  };
}
