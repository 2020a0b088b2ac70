import { parseJsonText } from '../common/parse-json-text.js';
import { readAll, readOne, readText, type UblValue } from './ubl-reader.js';
import { SIGNATURE_PATH } from './printed-document.js';

/** What a signed document's signature states; all texts in base64 but for the time. */
export interface SignatureFacts {
  readonly signingTime: string | null;
  readonly documentDigest: string | null;
  readonly signatureValue: string;
  readonly certificate: string | null;
}

/** The signature of the authority's document; null on an unsigned one. */
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
