import { X509Certificate, createHash, verify } from 'node:crypto';
import { type UblNode, readAttribute, nodeAt, nodesAt, textAt } from '../ubl.js';
import { type DigestedTexts, buildDigestedTexts } from './signature-texts.js';

const sha256Uri = 'http://www.w3.org/2001/04/xmlenc#sha256';
const rsaSha256Uri = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const envelopedXades = 'urn:oasis:names:specification:ubl:dsig:enveloped:xades';

const signaturePath =
  'UBLExtensions.UBLExtension.ExtensionContent.UBLDocumentSignatures.SignatureInformation.Signature';
const signedPropertiesPath = 'Object.QualifyingProperties.SignedProperties.SignedSignatureProperties';
const certificatePath = `${signedPropertiesPath}.SigningCertificate.Cert`;

interface SignedDocument extends DigestedTexts {
  invoice: UblNode;
  signature: UblNode;
  certificate: X509Certificate;
}

export interface SignatureOptions {
  trustSelfSigned: boolean;
}

/** Returns the authority's error codes for a signature, or an empty list if the signature is valid. */
export function checkSignature(raw: Buffer, invoice: UblNode, options: SignatureOptions): string[] {
  const [signature, ...others] = nodesAt(invoice, signaturePath);
  if (!signature) return ['DS301'];
  if (others.length > 0) return ['DS302'];
  const certificate = parseCertificate(textAt(signature, 'KeyInfo.X509Data.X509Certificate'));
  if (!certificate) return ['DS305'];
  const signed = { ...buildDigestedTexts(raw), invoice, signature, certificate };
  return [
    ...signingTimeCodes(signed),
    ...algorithmCodes(signed),
    ...digestCodes(signed),
    ...issuerCodes(signed),
    ...(!options.trustSelfSigned && isSelfSigned(certificate) ? ['DS329'] : []),
    ...valueCodes(signed),
  ];
}

function parseCertificate(base64: string): X509Certificate | undefined {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

function signingTimeCodes({ signature, certificate }: SignedDocument): string[] {
  const text = textAt(signature, `${signedPropertiesPath}.SigningTime`);
  if (text === '') return ['DS303'];
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return ['DS336'];
  const isWithin = time >= Date.parse(certificate.validFrom) && time <= Date.parse(certificate.validTo);
  return isWithin ? [] : ['DS304'];
}

function algorithmCodes({ invoice, signature }: SignedDocument): string[] {
  const algorithmAt = (root: UblNode, path: string) => readAttribute(nodeAt(root, path) ?? {}, 'Algorithm');
  const { ofDocument, ofProperties } = findReferences(signature);
  const rules: [string, boolean][] = [
    ['DS313', algorithmAt(signature, `${certificatePath}.CertDigest.DigestMethod`) === sha256Uri],
    ['DS314', algorithmAt(ofDocument, 'DigestMethod') === sha256Uri],
    ['DS315', algorithmAt(ofProperties, 'DigestMethod') === sha256Uri],
    ['DS316', algorithmAt(signature, 'SignedInfo.SignatureMethod') === rsaSha256Uri],
    ['DS323', textAt(invoice, 'Signature.SignatureMethod') === envelopedXades],
  ];
  return rules.filter(([, holds]) => !holds).map(([code]) => code);
}

function findReferences(signature: UblNode): { ofDocument: UblNode; ofProperties: UblNode } {
  const references = nodesAt(signature, 'SignedInfo.Reference');
  const withUri = (uri: string) => references.find((reference) => reference.URI === uri) ?? {};
  return { ofDocument: withUri(''), ofProperties: withUri('#id-xades-signed-props') };
}

function digestCodes({ signature, certificate, unsigned, properties }: SignedDocument): string[] {
  const { ofDocument, ofProperties } = findReferences(signature);
  const stated = textAt(signature, `${certificatePath}.CertDigest.DigestValue`);
  return [
    ...compare(stated, computeSha256(certificate.raw), { missing: 'DS317', different: 'DS318' }),
    ...compare(textAt(ofProperties, 'DigestValue'), computeSha256(properties), {
      missing: 'DS319',
      different: 'DS320',
    }),
    ...compare(textAt(ofDocument, 'DigestValue'), computeSha256(unsigned), { missing: 'DS321', different: 'DS322' }),
  ];
}

function issuerCodes({ signature, certificate }: SignedDocument): string[] {
  const serial = textAt(signature, `${certificatePath}.IssuerSerial.X509SerialNumber`);
  // The authority compares the issuer as text with its parts in reverse order.
  const issuer = certificate.issuer.split('\n').toReversed().join(', ');
  return [
    ...compare(textAt(signature, `${certificatePath}.IssuerSerial.X509IssuerName`), issuer, {
      missing: 'DS324',
      different: 'DS326',
    }),
    ...(/^\d*$/.test(serial)
      ? compare(serial && BigInt(serial).toString(16).toUpperCase(), certificate.serialNumber.replace(/^0+/, ''), {
          missing: 'DS325',
          different: 'DS328',
        })
      : ['DS327']),
  ];
}

function valueCodes({ signature, certificate, unsigned }: SignedDocument): string[] {
  const value = textAt(signature, 'SignatureValue');
  if (value === '') return ['DS332'];
  if (certificate.publicKey.asymmetricKeyType !== 'rsa') return ['DS334'];
  const isGood = verify('RSA-SHA256', Buffer.from(unsigned), certificate.publicKey, Buffer.from(value, 'base64'));
  return isGood ? [] : ['DS333'];
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);
}

function compare(stated: string, actual: string, codes: { missing: string; different: string }): string[] {
  if (stated === '') return [codes.missing];
  return stated === actual ? [] : [codes.different];
}

function computeSha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64');
}
