import { generateKeyPairSync, sign } from 'node:crypto';
import type { Signer } from '../../src/common/signer.js';
import { buildAuthorityDocument } from '../../src/documents/authority-document.js';
import { signDocument } from '../../src/documents/signature.js';
import type { SimplifiedDocument, Supplier } from '../../src/documents/simplified-document.js';
import { answeredTotals, totalsOf } from '../../src/documents/totals.js';
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
const ISSUED_AT = new Date('2026-01-31T04:00:00Z');

export function measureBuilding(): BuildingFigures {
  const documents = Array.from({ length: DOCUMENTS }, (_, index) => documentOf(index));
  const signer = createBenchSigner();
  const [unsigned] = documents.map(build);
  return {
    buildBatchMs: medianCpuMs(() => documents.forEach(build)),
    signDocumentMs: medianCpuMs(() => documents.forEach(() => signDocument(unsigned, signer, ISSUED_AT))) / DOCUMENTS,
  };
}

function build(document: SimplifiedDocument): Buffer {
  answeredTotals(totalsOf(document));
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

function documentOf(index: number): SimplifiedDocument {
  return {
    submissionType: 'non-consolidated',
    documentType: 'invoice',
    referenceId: `INV-2026-${index}`,
    documentDate: '2026-01-31',
    recipient: {
      name: 'Pembeli Contoh Sdn Bhd',
      tin: 'C9876543210',
      idType: 'BRN',
      idValue: '202001234567',
      addressLines: ['12 Jalan Contoh', 'Seksyen 7'],
      city: 'Shah Alam',
      postcode: '40000',
      stateCode: '10',
      country: 'MYS',
      phone: '+60398765432',
      email: 'ap@pembeli.example',
      sstNumber: null,
    },
    lineItems: Array.from({ length: LINES }, (_, line) => ({
      description: `Item ${line + 1} of the order`,
      quantity: 2 + line,
      unitPrice: 99.95,
      discount: line,
      lineTotal: Math.round((2 + line) * 9995 - line * 100) / 100,
      taxAmount: 8.25,
      taxType: null,
      taxExemptionReason: null,
      classification: null,
      unitCode: null,
    })),
    totalDiscountAmount: 10,
    totalRoundingAmount: 0.02,
    relatedInvoice: null,
  };
}

const SUPPLIER: Supplier = {
  name: 'Kedai Contoh Sdn Bhd',
  tin: 'C1234567890',
  idType: 'BRN',
  idValue: '201901234567',
  sstNumber: null,
  ttxNumber: null,
  msic: '46510',
  activity: 'Wholesale of computer hardware, software and peripherals',
  addressLines: ['Lot 66', 'Bangunan Merdeka'],
  city: 'Kuala Lumpur',
  postcode: '50480',
  stateCode: '14',
  country: 'MYS',
  phone: '+60312345678',
  email: 'akaun@kedai.example',
  defaultTaxType: '01',
  defaultClassification: null,
};
