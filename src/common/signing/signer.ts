import { createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { type CertificateFacts, readCertificateFacts, hasNonRepudiation } from './certificate.js';

/** Signs with the key of a certificate without exposing the key. */
export interface Signer {
  readonly certificate: CertificateFacts;
  /** Whole days, computed when the process starts. */
  readonly expiresInDays: number;
  sign(bytes: Buffer): Buffer;
}

export interface SigningMaterial {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

export class SigningMaterialError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'SigningMaterialError';
  }
}

// The size limit of documents reserves this many bytes for the certificate.
export const CERTIFICATE_BYTES_MAX = 3_072;
export const ISSUER_NAME_JSON_BYTES_MAX = 512;
/** 20 bytes (RFC 5280, 4.1.2.2) in decimal. */
export const SERIAL_NUMBER_DIGITS_MAX = 49;
export const RSA_KEY_BITS_MAX = 4_096;

/** The extended key usage "Document Signing", which the authority requires. */
const DOCUMENT_SIGNING_OID = '1.3.6.1.4.1.311.10.3.12';

const DAY_MS = 24 * 60 * 60_000;

/** @throws SigningMaterialError with all problems for which the authority would reject every document */
export function createSigner({ certificatePem, privateKeyPem }: SigningMaterial, now: Date): Signer {
  const certificate = readCertificate(certificatePem);
  const privateKey = readPrivateKey(privateKeyPem);
  if (typeof certificate === 'string' || typeof privateKey === 'string') {
    throw new SigningMaterialError([certificate, privateKey].filter((problem) => typeof problem === 'string'));
  }
  const facts = readCertificateFacts(certificate);
  const problems = [...validityProblems(facts, now), ...profileProblems(certificate, facts)];
  if (!certificate.checkPrivateKey(privateKey)) {
    problems.push('the key does not belong to the certificate: configure the two that were issued together');
  }
  if (problems.length > 0) throw new SigningMaterialError(problems);
  return {
    certificate: facts,
    expiresInDays: Math.floor((facts.validTo.getTime() - now.getTime()) / DAY_MS),
    sign: (bytes) => sign('sha256', bytes, privateKey),
  };
}

function readCertificate(pem: string): X509Certificate | string {
  try {
    return new X509Certificate(pem);
  } catch {
    return 'the certificate is not an X.509 certificate in PEM format: convert it, for example with openssl pkcs12 -nokeys';
  }
}

function readPrivateKey(pem: string): KeyObject | string {
  try {
    return createPrivateKey(pem);
  } catch {
    // Omits OpenSSL's message because it may quote the key.
    return 'the key is not a private key in PEM format, or is encrypted: decrypt it, for example with openssl pkey';
  }
}

function validityProblems({ validFrom, validTo }: CertificateFacts, now: Date): string[] {
  if (now > validTo) return [`the certificate expired on ${formatDay(validTo)}: configure its successor`];
  if (now < validFrom)
    return [`the certificate is not valid before ${formatDay(validFrom)}: check this machine's clock`];
  return [];
}

function formatDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

function profileProblems(certificate: X509Certificate, facts: CertificateFacts): string[] {
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  const rsaBits = asymmetricKeyType === 'rsa' ? (asymmetricKeyDetails?.modulusLength ?? 0) : 0;
  const advice = "ask the certification authority for an organisation's document signing certificate";
  const problems: [boolean, string][] = [
    [rsaBits === 0, `the certificate's key is not RSA: ${advice}`],
    [rsaBits > RSA_KEY_BITS_MAX, `the certificate's key is longer than ${RSA_KEY_BITS_MAX} bits: use a shorter one`],
    [!hasNonRepudiation(certificate), `the certificate lacks the key usage nonRepudiation: ${advice}`],
    [
      !(certificate.keyUsage ?? []).includes(DOCUMENT_SIGNING_OID),
      `the certificate lacks the extended key usage document signing (${DOCUMENT_SIGNING_OID}): ${advice}`,
    ],
    [
      !fitsDocument(certificate, facts),
      'the certificate, its issuer name or its serial number is too long for a document',
    ],
  ];
  return problems.filter(([isProblem]) => isProblem).map(([, text]) => text);
}

function fitsDocument(certificate: X509Certificate, { issuerName, serialNumber }: CertificateFacts): boolean {
  return (
    certificate.raw.length <= CERTIFICATE_BYTES_MAX &&
    Buffer.byteLength(JSON.stringify(issuerName)) <= ISSUER_NAME_JSON_BYTES_MAX &&
    serialNumber.length <= SERIAL_NUMBER_DIGITS_MAX
  );
}
