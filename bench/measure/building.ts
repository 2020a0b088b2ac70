import { generateKeyPairSync, sign } from 'node:crypto';
import type { Signer } from '../../src/signing/signer.js';
import { buildAuthorityDocument } from '../../src/documents/authority-document.js';
import { goldenInvoice, goldenSupplier } from '../../src/documents/golden/golden.js';
import { signDocument } from '../../src/documents/signature.js';
import type { SimplifiedDocument } from '../../src/documents/simplified-document.js';
import { toResponseTotals, computeTotals } from '../../src/documents/totals.js';
import { median } from './statistics.js';

/** CPU time of the pure work on documents, in milliseconds; no database, no network. */
export interface BuildingFigures {
  /** 100 documents of 5 lines, totalled and built, unsigned. */
  readonly buildBatchMs: number;
  /** One of them signed with an RSA key of 2048 bits. */
  readonly signDocumentMs: number;
}

const DOCUMENTS = 100;
const LINES = 5;
const ROUNDS = 30;
const WARM_ROUNDS = 10;
const KEY_BITS = 2_048;
// A usual certificate's size, base64; its content makes no difference to the time.
const CERTIFICATE_CHARACTERS = 2_400;
const SUPPLIER = goldenSupplier();
const INVOICE = goldenInvoice();
const ISSUED_AT = new Date('2026-01-31T04:00:00Z');

export function measureBuilding(): BuildingFigures {
  const documents = Array.from({ length: DOCUMENTS }, (_, index) => buildDocument(index));
  const signer = createBenchSigner();
  const [unsigned] = documents.map(build);
  return {
    buildBatchMs: medianCpuMs(() => documents.forEach(build)),
    signDocumentMs: medianCpuMs(() => documents.forEach(() => signDocument(unsigned, signer, ISSUED_AT))) / DOCUMENTS,
  };
}

function build(document: SimplifiedDocument): Buffer {
  toResponseTotals(computeTotals(document));
  const issue = { issuedAt: ISSUED_AT, period: null, parentAuthorityUuid: null };
  return buildAuthorityDocument({ document, supplier: SUPPLIER, ...issue, version: '1.0' });
}

function medianCpuMs(work: () => void): number {
  for (let round = 0; round < WARM_ROUNDS; round += 1) work();
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return median(rounds);
}

function createBenchSigner(): Signer {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });
  return {
    certificate: {
      derBase64: 'A'.repeat(CERTIFICATE_CHARACTERS),
      sha256Base64: 'A'.repeat(43).concat('='),
      issuerName: 'CN=Bench CA, O=Bench, C=MY',
      serialNumber: '123456789012345678',
      validFrom: new Date(0),
      validTo: new Date('2099-01-01'),
    },
    expiresInDays: 365,
    sign: (bytes) => sign('sha256', bytes, privateKey),
  };
}

function buildDocument(index: number): SimplifiedDocument {
  const [line] = INVOICE.lineItems;
  return {
    ...INVOICE,
    referenceId: `INV-2026-${index}`,
    lineItems: Array.from({ length: LINES }, (_, position) => ({
      ...line,
      description: `Item ${position + 1} of the order`,
      quantity: 2 + position,
      unitPrice: 99.95,
      discount: position,
      lineTotal: Math.round((2 + position) * 9995 - position * 100) / 100,
      taxAmount: 8.25,
    })),
    totalRoundingAmount: 0.02,
  };
}
