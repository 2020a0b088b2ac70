import { createHash, type X509Certificate } from 'node:crypto';

export interface CertificateFacts {
  readonly derBase64: string;
  readonly sha256Base64: string;
  /** In the authority's format (see `formatIssuerName`). */
  readonly issuerName: string;
  readonly serialNumber: string;
  readonly validFrom: Date;
  readonly validTo: Date;
}

export function readCertificateFacts(certificate: X509Certificate): CertificateFacts {
  return {
    derBase64: certificate.raw.toString('base64'),
    sha256Base64: createHash('sha256').update(certificate.raw).digest('base64'),
    issuerName: formatIssuerName(certificate),
    serialNumber: convertHexToDecimal(certificate.serialNumber),
    validFrom: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
  };
}

// Serial numbers should be positive, but a negative one must be readable so that it can be rejected.
function convertHexToDecimal(hex: string): string {
  const [sign, digits] = hex.startsWith('-') ? ['-', hex.slice(1)] : ['', hex];
  return `${sign}${BigInt(`0x${digits}`)}`;
}

/** Formats the issuer like RFC 4514, but with a space after each comma. The authority compares the string. */
function formatIssuerName(certificate: X509Certificate): string {
  return certificate.issuer.split('\n').reverse().join(', ');
}

// KeyUsage ::= BIT STRING { digitalSignature (0), nonRepudiation (1), … } (RFC 5280, 4.2.1.3). Bit 0 is the highest.
const KEY_USAGE_OID = Buffer.from('0603551d0f', 'hex');
const NON_REPUDIATION_BIT = 0b0100_0000;

/** Returns whether the key usage includes non-repudiation. Node reads only extended key usages. */
export function hasNonRepudiation(certificate: X509Certificate): boolean {
  const extension = readExtensions(certificate.raw).find((content) =>
    content.subarray(0, KEY_USAGE_OID.length).equals(KEY_USAGE_OID),
  );
  if (extension === undefined) return false;
  // Extension ::= SEQUENCE { extnID, critical BOOLEAN DEFAULT FALSE, extnValue OCTET STRING }
  const value = derElementsIn(extension).at(-1);
  const [bits] = value === undefined ? [] : derElementsIn(value.content);
  // The first byte of a bit string is the number of unused bits.
  return ((bits?.content[1] ?? 0) & NON_REPUDIATION_BIT) !== 0;
}

const EXTENSIONS_TAG = 0xa3;

/** Reads the contents of Certificate → TBSCertificate → [3] → SEQUENCE OF Extension. */
function readExtensions(der: Buffer): Buffer[] {
  const toBeSigned = firstIn(firstIn(der));
  const wrapper = derElementsIn(toBeSigned).find(({ tag }) => tag === EXTENSIONS_TAG);
  if (wrapper === undefined) return [];
  return derElementsIn(firstIn(wrapper.content)).map(({ content }) => content);
}

function firstIn(der: Buffer): Buffer {
  return derElementsIn(der)[0]?.content ?? Buffer.alloc(0);
}

interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
}

// Longer lengths store their number of bytes in the low bits (X.690, 8.1.3.5).
const LONG_LENGTH = 0x80;

/** Splits DER that OpenSSL has already validated. */
function derElementsIn(der: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let start = 0; start + 1 < der.length;) {
    const first = der.readUInt8(start + 1);
    const lengthBytes = first < LONG_LENGTH ? 0 : first - LONG_LENGTH;
    const contentStart = start + 2 + lengthBytes;
    const length = lengthBytes === 0 ? first : der.readUIntBE(start + 2, lengthBytes);
    elements.push({ tag: der.readUInt8(start), content: der.subarray(contentStart, contentStart + length) });
    start = contentStart + length;
  }
  return elements;
}
