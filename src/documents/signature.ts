import { verify, X509Certificate, createHash } from 'node:crypto';
import { parseJsonText } from '../common/parse-json-text.js';
import { type CertificateFacts, readCertificateFacts } from '../common/signing/certificate.js';
import {
  CERTIFICATE_BYTES_MAX,
  ISSUER_NAME_JSON_BYTES_MAX,
  RSA_KEY_BITS_MAX,
  SERIAL_NUMBER_DIGITS_MAX,
  type Signer,
} from '../common/signing/signer.js';

interface SignatureParts {
  readonly certificate: Pick<CertificateFacts, 'derBase64' | 'sha256Base64' | 'issuerName' | 'serialNumber'>;
  /** UTC, whole seconds. */
  readonly signingTime: string;
  readonly documentDigest: string;
  readonly signatureValue: string;
}

const SHA256 = { _: '', Algorithm: 'http://www.w3.org/2001/04/xmlenc#sha256' };
const RSA_SHA256 = { _: '', Algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' };
const ENVELOPED_XADES = 'urn:oasis:names:specification:ubl:dsig:enveloped:xades';
const SIGNATURE_ID = 'urn:oasis:names:specification:ubl:signature:Invoice';

/** Equal in content and order to the authority's signed samples ("Signature Creation - JSON" in its SDK). */
function signatureBlock(parts: SignatureParts): string {
  const text = JSON.stringify({
    UBLExtensions: [
      {
        UBLExtension: [
          {
            ExtensionURI: [{ _: ENVELOPED_XADES }],
            ExtensionContent: [{ UBLDocumentSignatures: [{ SignatureInformation: [signatureInformation(parts)] }] }],
          },
        ],
      },
    ],
    Signature: [{ ID: [{ _: SIGNATURE_ID }], SignatureMethod: [{ _: ENVELOPED_XADES }] }],
  });
  return text.slice(1, -1);
}

function signatureInformation(parts: SignatureParts): object {
  const properties = qualifyingProperties(parts);
  // The digest covers the whole array element including `Target`, and not only the signed properties.
  const propertiesDigest = sha256Base64(Buffer.from(JSON.stringify(properties), 'utf8'));
  return {
    ID: [{ _: 'urn:oasis:names:specification:ubl:signature:1' }],
    ReferencedSignatureID: [{ _: SIGNATURE_ID }],
    Signature: [
      {
        Id: 'signature',
        Object: [{ QualifyingProperties: [properties] }],
        KeyInfo: [{ X509Data: [certificateData(parts)] }],
        SignatureValue: [{ _: parts.signatureValue }],
        SignedInfo: [
          {
            SignatureMethod: [RSA_SHA256],
            Reference: [
              {
                Type: 'http://uri.etsi.org/01903/v1.3.2#SignedProperties',
                URI: '#id-xades-signed-props',
                DigestMethod: [SHA256],
                DigestValue: [{ _: propertiesDigest }],
              },
              { Type: '', URI: '', DigestMethod: [SHA256], DigestValue: [{ _: parts.documentDigest }] },
            ],
          },
        ],
      },
    ],
  };
}

function qualifyingProperties({ certificate, signingTime }: SignatureParts): object {
  const certificateDigest = [{ DigestMethod: [SHA256], DigestValue: [{ _: certificate.sha256Base64 }] }];
  return {
    Target: 'signature',
    SignedProperties: [
      {
        Id: 'id-xades-signed-props',
        SignedSignatureProperties: [
          {
            SigningTime: [{ _: signingTime }],
            SigningCertificate: [
              { Cert: [{ CertDigest: certificateDigest, IssuerSerial: [issuerAndSerial(certificate)] }] },
            ],
          },
        ],
      },
    ],
  };
}

function certificateData({ certificate }: SignatureParts): object {
  return {
    X509Certificate: [{ _: certificate.derBase64 }],
    X509SubjectName: [{ _: certificate.issuerName }],
    X509IssuerSerial: [issuerAndSerial(certificate)],
  };
}

function issuerAndSerial({ issuerName, serialNumber }: SignatureParts['certificate']): object {
  return { X509IssuerName: [{ _: issuerName }], X509SerialNumber: [{ _: serialNumber }] };
}

function sha256Base64(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

// The signature is inserted before the closing brace of the invoice.
const UNSIGNED_END = Buffer.from(']}]}');
const INVOICE_END = '}]}';
const SIGNATURE_START = ',"UBLExtensions":[';

/**
 * Signs a document of version 1.1 ("Signature Creation - JSON" in the authority's SDK). Digest and signature cover the
 * unsigned bytes, which do not change. Unlike in XML signatures, the signature does not cover `SignedInfo`.
 */
export function signDocument(unsigned: Buffer, signer: Signer, signingTime: Date): Buffer {
  if (!unsigned.subarray(-UNSIGNED_END.length).equals(UNSIGNED_END)) {
    throw new Error('Only a minified document that ends with its lines can be signed');
  }
  const block = signatureBlock({
    certificate: signer.certificate,
    signingTime: `${signingTime.toISOString().slice(0, 19)}Z`,
    documentDigest: sha256Base64(unsigned),
    signatureValue: signer.sign(unsigned).toString('base64'),
  });
  return Buffer.concat([unsigned.subarray(0, -INVOICE_END.length), Buffer.from(`,${block}${INVOICE_END}`, 'utf8')]);
}

/** Upper bound of the bytes that a signature adds to a document. `createSigner` enforces the limits. */
export const SIGNATURE_BYTES_MAX = Buffer.byteLength(
  `,${signatureBlock({
    certificate: {
      derBase64: fillBase64(CERTIFICATE_BYTES_MAX),
      sha256Base64: fillBase64(32),
      issuerName: 'A'.repeat(ISSUER_NAME_JSON_BYTES_MAX - '""'.length),
      serialNumber: '9'.repeat(SERIAL_NUMBER_DIGITS_MAX),
    },
    signingTime: '2026-01-01T00:00:00Z',
    documentDigest: fillBase64(32),
    signatureValue: fillBase64(RSA_KEY_BITS_MAX / 8),
  })}`,
);

function fillBase64(byteCount: number): string {
  return Buffer.alloc(byteCount).toString('base64');
}

export type SignatureProblem =
  'DS300' | 'DS301' | 'DS304' | 'DS305' | 'DS318' | 'DS320' | 'DS322' | 'DS326' | 'DS328' | 'DS333' | 'DS335' | 'DS336';

export type SignatureVerification = { readonly ok: true } | { readonly problem: SignatureProblem };

/** Ignores white space. Compares all other bytes with those that the certificate and the signing time require. */
export function verifyDocument(bytes: Buffer): SignatureVerification {
  const text = bytes.toString('utf8');
  const root = Buffer.from(text, 'utf8').equals(bytes) ? parse(text) : undefined;
  if (root === undefined) return { problem: 'DS300' };
  const compact = withoutWhiteSpace(text);
  const start = compact.indexOf(SIGNATURE_START);
  if (start === -1) return { problem: 'DS301' };
  const unsigned = Buffer.from(compact.slice(0, start) + INVOICE_END, 'utf8');
  const stated = statedIn(root);
  const certificate = parseCertificate(stated.certificate);
  if (certificate === null) return { problem: 'DS305' };
  const facts = readCertificateFacts(certificate);
  const problem = statementProblem(stated, facts, unsigned);
  if (problem !== null) return { problem };
  const signature = Buffer.from(stated.signatureValue, 'base64');
  if (!verify('sha256', unsigned, certificate.publicKey, signature)) return { problem: 'DS333' };
  const expected = signatureBlock({
    certificate: facts,
    signingTime: stated.signingTime,
    documentDigest: stated.documentDigest,
    signatureValue: signature.toString('base64'),
  });
  return compact.slice(start) === `,${expected}${INVOICE_END}` ? { ok: true } : { problem: 'DS335' };
}

type Stated = Readonly<Record<keyof typeof STATED_PATHS, string>>;

const INFORMATION =
  'Invoice.0.UBLExtensions.0.UBLExtension.0.ExtensionContent.0.UBLDocumentSignatures.0.SignatureInformation.0';
const SIGNATURE = `${INFORMATION}.Signature.0`;
const PROPERTIES = `${SIGNATURE}.Object.0.QualifyingProperties.0`;
const SIGNED = `${PROPERTIES}.SignedProperties.0.SignedSignatureProperties.0`;
const CERTIFICATE = `${SIGNED}.SigningCertificate.0.Cert.0`;
const STATED_PATHS = {
  certificate: `${SIGNATURE}.KeyInfo.0.X509Data.0.X509Certificate.0._`,
  signatureValue: `${SIGNATURE}.SignatureValue.0._`,
  propertiesDigest: `${SIGNATURE}.SignedInfo.0.Reference.0.DigestValue.0._`,
  documentDigest: `${SIGNATURE}.SignedInfo.0.Reference.1.DigestValue.0._`,
  signingTime: `${SIGNED}.SigningTime.0._`,
  certificateDigest: `${CERTIFICATE}.CertDigest.0.DigestValue.0._`,
  issuerName: `${CERTIFICATE}.IssuerSerial.0.X509IssuerName.0._`,
  serialNumber: `${CERTIFICATE}.IssuerSerial.0.X509SerialNumber.0._`,
} as const;

function statedIn(root: unknown): Stated & { readonly properties: unknown } {
  const texts = Object.entries(STATED_PATHS).map(([name, path]) => {
    const value = valueAt(root, path);
    return [name, typeof value === 'string' ? value : ''];
  });
  return { ...(Object.fromEntries(texts) as Stated), properties: valueAt(root, PROPERTIES) ?? null };
}

function statementProblem(
  stated: ReturnType<typeof statedIn>,
  facts: CertificateFacts,
  unsigned: Buffer,
): SignatureProblem | null {
  const signingTime = new Date(stated.signingTime);
  const isTime =
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(stated.signingTime) && !Number.isNaN(signingTime.getTime());
  const propertiesDigest = sha256Base64(Buffer.from(JSON.stringify(stated.properties), 'utf8'));
  const checks: [boolean, SignatureProblem][] = [
    [stated.documentDigest === sha256Base64(unsigned), 'DS322'],
    [stated.propertiesDigest === propertiesDigest, 'DS320'],
    [stated.certificateDigest === facts.sha256Base64, 'DS318'],
    [stated.issuerName === facts.issuerName, 'DS326'],
    [stated.serialNumber === facts.serialNumber, 'DS328'],
    [isTime, 'DS336'],
    [signingTime >= facts.validFrom && signingTime <= facts.validTo, 'DS304'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

function parseCertificate(derBase64: string): X509Certificate | null {
  try {
    const certificate = new X509Certificate(Buffer.from(derBase64, 'base64'));
    return certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate : null;
  } catch {
    return null;
  }
}

function parse(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

// Matches whole strings, so that only white space between tokens is removed.
function withoutWhiteSpace(json: string): string {
  return json.replace(/("[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$))|\s+/g, '$1');
}

function valueAt(root: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((node, name) => {
    return typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[name] : undefined;
  }, root);
}
